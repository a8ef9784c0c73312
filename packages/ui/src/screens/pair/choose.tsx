import type { JSX } from "preact";
import { inclusion, type Kind433, kinds433 } from "../../api/pairing.ts";
import { health } from "../../api/system.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { t } from "../../texts/texts.ts";
import { FreeSticks } from "../../parts/free-sticks.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Lines } from "./lines.tsx";
import { type Entrance, learningOf } from "./ways.ts";

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
      <LiveButton isMain onClick={choose}>
        {text}
      </LiveButton>
    </li>
  );
}

/** Ways besides the search of everything, each for an adapter that a hub may have. */
const others = [
  { by: "zwave", title: "zwave.title", how: "zwave.how", text: "zwave.search" },
  { by: "modbus", title: "modbus.title", how: "modbus.how", text: "modbus.begin" },
  { by: "bacnet", title: "bacnet.title", how: "bacnet.how", text: "bacnet.begin" },
  { by: "onvif", title: "camera.title", how: "camera.how", text: "camera.begin" },
  { by: "hue", title: "hue.title", how: "hue.how", text: "hue.begin" },
  { by: "mbus", title: "mbus.title", how: "mbus.how", text: "mbus.begin" },
] as const;

function howOf(kind: Kind433): string {
  const maker = t("pair.433How", { maker: kind.manufacturer });
  const learning = learningOf(kind);
  return learning === undefined ? maker : `${maker} ${t(`codes.${learning}`)}`;
}

/** Kinds of devices that no search finds, each with what pairs it. */
function Kinds433({ choose }: { readonly choose: (entrance: Entrance) => void }): JSX.Element {
  const kinds = useAnswer(kinds433, "433 MHz");
  return (
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
                how={howOf(kind)}
                text={t("pair.433Now", { name: kind.name })}
                choose={() => choose({ by: "433", kind })}
              />
            ))}
          </ul>
        )
      }
    />
  );
}

/** By which of the ways that this hub has a device comes in. What its adapters have to say first comes later. */
export function Choose({ choose }: { readonly choose: (entrance: Entrance) => void }): JSX.Element {
  const zwave = useAnswer(inclusion, "Z-Wave").asked.value;
  const hubHealth = useAnswer(health, "adapters").asked.value;
  const protocols =
    hubHealth.state === "done" ? hubHealth.value.adapters.map(({ protocol }) => protocol) : [];
  // The simulated home has a Z-Wave network too.
  const hasZwave = zwave.state === "done" && zwave.value.status !== "NO_ZWAVE";
  const isThere = (by: string): boolean => (by === "zwave" ? hasZwave : protocols.includes(by));
  return (
    <>
      <h1 tabIndex={-1}>{t("pair.title")}</h1>
      <p>{t("pair.how")}</p>
      <ul class="plain">
        <Choice
          title={t("pair.search")}
          how={t("pair.searchHow")}
          text={t("pair.searchNow")}
          choose={() => choose({ by: "search", hasCameras: isThere("onvif") })}
        />
        {others
          .filter(({ by }) => isThere(by))
          .map(({ by, title, how, text }) => (
            <Choice key={by} title={t(title)} how={t(how)} text={t(text)} choose={() => choose({ by })} />
          ))}
      </ul>
      {protocols.includes("mbus") && <Lines of="SERIAL_MBUS_CONTROLLER" />}
      <FreeSticks />
      <Kinds433 choose={choose} />
    </>
  );
}
