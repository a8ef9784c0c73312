import type { JSX } from "preact";
import { inclusion, kinds433 } from "../../api/pairing.ts";
import { health } from "../../api/system.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { sync } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { FreeSticks } from "../../parts/free-sticks.tsx";
import { Lines } from "./lines.tsx";
import type { Entrance } from "./ways.ts";

function Choice(props: {
  readonly title: string;
  readonly how: string;
  readonly text: string;
  readonly choose: () => void;
}): JSX.Element {
  const { title, how, text, choose } = props;
  return (
    <li class="card">
      <h2>{title}</h2>
      <p>{how}</p>
      <button type="button" class="button main" disabled={sync.connection.value !== "live"} onClick={choose}>
        {text}
      </button>
    </li>
  );
}

/** By which of the ways that this hub has a device comes in. What its adapters have to say first comes later. */
export function Choose({ choose }: { readonly choose: (entrance: Entrance) => void }): JSX.Element {
  const zwave = useAnswer(inclusion, "Z-Wave").asked.value;
  const kinds = useAnswer(kinds433, "433 MHz");
  const { value: found } = useAnswer(health, "adapters").asked;
  const protocols = found.state === "done" ? found.value.adapters.map(({ protocol }) => protocol) : [];
  const hasZwave = zwave.state === "done" && zwave.value.status !== "NO_ZWAVE";
  return (
    <>
      <h1 tabIndex={-1}>{t("pair.title")}</h1>
      <p>{t("pair.how")}</p>
      <ul class="plain">
        <Choice
          title={t("pair.search")}
          how={t("pair.searchHow")}
          text={t("pair.searchNow")}
          choose={() => choose({ by: "search" })}
        />
        {hasZwave && (
          <Choice
            title={t("zwave.title")}
            how={t("zwave.how")}
            text={t("zwave.search")}
            choose={() => choose({ by: "zwave" })}
          />
        )}
        {protocols.includes("modbus") && (
          <Choice
            title={t("modbus.title")}
            how={t("modbus.how")}
            text={t("modbus.begin")}
            choose={() => choose({ by: "modbus" })}
          />
        )}
        {protocols.includes("bacnet") && (
          <Choice
            title={t("bacnet.title")}
            how={t("bacnet.how")}
            text={t("bacnet.begin")}
            choose={() => choose({ by: "bacnet" })}
          />
        )}
        {protocols.includes("mbus") && (
          <Choice
            title={t("mbus.title")}
            how={t("mbus.how")}
            text={t("mbus.begin")}
            choose={() => choose({ by: "mbus" })}
          />
        )}
      </ul>
      {protocols.includes("mbus") && <Lines of="SERIAL_MBUS_CONTROLLER" />}
      <FreeSticks />
      <AnswerFace
        answer={kinds.asked.value}
        again={kinds.again}
        show={(found) =>
          found.length > 0 && (
            <ul class="plain">
              {found.map((kind) => (
                <Choice
                  key={kind.id}
                  title={kind.name}
                  how={t("pair.433How", { maker: kind.manufacturer })}
                  text={t("pair.433Now", { name: kind.name })}
                  choose={() => choose({ by: "433", kind })}
                />
              ))}
            </ul>
          )
        }
      />
    </>
  );
}
