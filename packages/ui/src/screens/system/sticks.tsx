import type { JSX } from "preact";
import { giveUpStick, sticks, takeStick } from "../../api/setup.ts";
import { useAnswer } from "../../parts/answer.ts";
import { StickRows } from "../../parts/free-sticks.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { NetworkStick } from "../../parts/network-stick.tsx";
import { freeSticks, type UsedStick, usedSticks } from "../../parts/sticks.ts";
import { change } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";

/** The protocols whose radio people choose; other ports are those of the hub's profile. */
const chosen: ReadonlySet<string> = new Set(["zigbee", "zwave"]);

function UsedRow({ stick, done }: { readonly stick: UsedStick; readonly done: () => void }): JSX.Element {
  const { model, port, usedBy: protocol, isThere } = stick;
  const giveUp = async (): Promise<void> => {
    const back = (): ReturnType<typeof takeStick> => takeStick({ ...stick, protocol });
    await change(giveUpStick(protocol), t("sticks.givenUp", { name: model ?? port, protocol }), back);
    done();
  };
  return (
    <li>
      <p>
        <strong>{model ?? port}</strong> <span class="muted">{model !== null && port}</span>{" "}
        <span class={isThere === false ? "problem" : "muted"}>
          {t(isThere === false ? "sticks.gone" : "sticks.usedBy", { protocol })}
        </span>
      </p>
      {chosen.has(protocol) && (
        <LiveButton onClick={() => void giveUp()}>
          {t("sticks.giveUp", { name: model ?? port, protocol })}
        </LiveButton>
      )}
    </li>
  );
}

/** The sticks of the hub: what each is used for, those that wait for a use, and one at an address of the network. */
export function Sticks(): JSX.Element {
  const { asked, again } = useAnswer(sticks, "sticks");
  const found = asked.value.state === "done" ? asked.value.value : [];
  const [used, free] = [usedSticks(found), freeSticks(found)];
  return (
    <section class="card" aria-labelledby="system-sticks-title">
      <h2 id="system-sticks-title">{t("sticks.title")}</h2>
      {used.length > 0 && (
        <ul class="plain">
          {used.map((stick) => (
            <UsedRow key={stick.port} stick={stick} done={again} />
          ))}
        </ul>
      )}
      {free.length > 0 && <StickRows of={free} done={again} />}
      <NetworkStick used={used} done={again} />
    </section>
  );
}
