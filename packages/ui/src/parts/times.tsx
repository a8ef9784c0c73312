import type { JSX } from "preact";
import type { StoredRange } from "@ledge/model";
import { t } from "../texts/texts.ts";
import { RangeEditor } from "./range-editor.tsx";
import { newRange } from "./time-range.ts";

interface TimesOf {
  readonly label: string;
  readonly times: readonly StoredRange[];
  readonly put: (times: readonly StoredRange[]) => void;
  /** By the index of a time. */
  readonly faults: ReadonlyMap<number, string>;
}

const most = 32;

function Time({
  label: of,
  times,
  put,
  faults,
  index,
  time,
}: TimesOf & { index: number; time: StoredRange }): JSX.Element {
  const label = t("rule.nth", { label: of, n: index + 1 });
  const fault = faults.get(index);
  return (
    <div class="value">
      {time.type === "TIME_RANGE" ? (
        <RangeEditor
          label={label}
          of={time}
          put={(range) => put(times.map((each, at) => (at === index ? range : each)))}
        />
      ) : (
        <p>
          <code>{`${time.cronDef.start} / ${time.cronDef.stop}`}</code>
        </p>
      )}
      {fault !== undefined && <p class="problem">{fault}</p>}
      <button type="button" class="button quiet" onClick={() => put(times.filter((_, at) => at !== index))}>
        {t("pick.remove")} <span class="hidden">{label}</span>
      </button>
    </div>
  );
}

/** Times at which something is on by itself. */
export function Times({ how, ...of }: TimesOf & { readonly how: string }): JSX.Element {
  const { label, times, put } = of;
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <p class="muted">{how}</p>
      {times.map((time, index) => (
        // Times have no ids.
        <Time key={index} index={index} time={time} {...of} />
      ))}
      {times.length < most && (
        <button type="button" class="button" onClick={() => put([...times, newRange])}>
          {t("rule.addValue")} <span class="hidden">{label}</span>
        </button>
      )}
    </fieldset>
  );
}
