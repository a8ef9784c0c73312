import type { JSX } from "preact";
import { giveUpStick, sticks, takeStick } from "../api/setup.ts";
import { change } from "../store/commands.ts";
import { t } from "../texts/texts.ts";
import { useAnswer } from "./answer.ts";
import { LiveButton } from "./live-button.tsx";
import { type FreeStick, freeSticks } from "./sticks.ts";

function StickRow({ stick, done }: { readonly stick: FreeStick; readonly done: () => void }): JSX.Element {
  const { model, port, protocol } = stick;
  const take = async (): Promise<void> => {
    await change(takeStick(stick), t("first.stickTaken", { model }), () => giveUpStick(protocol));
    done();
  };
  return (
    <li>
      <p>
        <strong>{model}</strong> <span class="muted">{port}</span>
      </p>
      <LiveButton onClick={() => void take()}>{t("first.takeStick", { model })}</LiveButton>
    </li>
  );
}

/** Sticks that wait for a use, each with what gives it one. */
export function StickRows(props: {
  readonly of: readonly FreeStick[];
  readonly done: () => void;
}): JSX.Element {
  const { of, done } = props;
  return (
    <ul class="plain">
      {of.map((stick) => (
        <StickRow key={stick.port} stick={stick} done={done} />
      ))}
    </ul>
  );
}

/** The sticks of the hub that wait for a use; nothing where there are none. */
export function FreeSticks(): JSX.Element | null {
  const { asked, again } = useAnswer(sticks, "sticks");
  const { value: found } = asked;
  const free = found.state === "done" ? freeSticks(found.value) : [];
  if (free.length === 0) return null;
  return (
    <section class="card" aria-labelledby="sticks-title">
      <h2 id="sticks-title">{t("first.sticks")}</h2>
      <StickRows of={free} done={again} />
    </section>
  );
}
