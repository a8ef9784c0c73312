import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { type SerialLine, serialLines, type SerialSettings, setSerialLine } from "../../api/wired.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { change } from "../../store/commands.ts";
import { isKey, t } from "../../texts/texts.ts";

function parityText(parity: string): string {
  const key = `parity.${parity}`;
  return isKey(key) ? t(key) : parity;
}

function Pick<T extends string | number>(props: {
  readonly label: string;
  readonly value: T;
  readonly of: readonly T[];
  readonly textOf?: (value: T) => string;
  readonly put: (value: T) => void;
}): JSX.Element {
  const { label, value, of, textOf = String, put } = props;
  const choices = of.includes(value) ? of : [value, ...of];
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={choices.indexOf(value)}
        onChange={({ currentTarget }) => {
          const { [Number(currentTarget.value)]: chosen } = choices;
          if (chosen !== undefined) put(chosen);
        }}
      >
        {choices.map((each, index) => (
          <option key={each} value={index}>
            {textOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** How a serial port transmits: as the devices at it do. */
function Line({ of, again }: { readonly of: SerialLine; readonly again: () => void }): JSX.Element {
  const edited = useSignal<SerialSettings>(of.settings);
  const { value: settings } = edited;
  const put = (part: Partial<SerialSettings>): void => void (edited.value = { ...settings, ...part });
  const { name } = of;
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const back = async (): ReturnType<typeof setSerialLine> => {
      edited.value = of.settings;
      return setSerialLine(of, of.settings);
    };
    await change(setSerialLine(of, settings), t("lines.saved", { name }), back);
    again();
  };
  return (
    <details class="card">
      <summary>{t("lines.title", { name })}</summary>
      <form onSubmit={(event) => void save(event)}>
        <p class="muted">{t("lines.how")}</p>
        <Pick
          label={t("lines.speed")}
          value={settings.baudrate}
          of={of.allowedBaurates}
          put={(baudrate) => put({ baudrate })}
        />
        <Pick
          label={t("lines.data")}
          value={settings.databits}
          of={of.allowedDatabits}
          put={(databits) => put({ databits })}
        />
        <Pick
          label={t("lines.stop")}
          value={settings.stopbits}
          of={of.allowedStopbits}
          put={(stopbits) => put({ stopbits })}
        />
        <Pick
          label={t("lines.parity")}
          value={settings.parity}
          of={of.allowedParities}
          textOf={parityText}
          put={(parity) => put({ parity })}
        />
        <LiveButton>{t("save")}</LiveButton>
      </form>
    </details>
  );
}

/** The serial ports of a kind of bus; nothing where there are none. */
export function Lines({ of }: { readonly of: SerialLine["controllerType"] }): JSX.Element {
  const { asked, again } = useAnswer(serialLines, "serial ports");
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(lines) =>
        lines
          .filter(({ controllerType }) => controllerType === of)
          .map((line) => <Line key={line.name} of={line} again={again} />)
      }
    />
  );
}
