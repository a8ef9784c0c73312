import type { ComponentChildren, JSX } from "preact";
import { openSteps } from "./first-steps.ts";
import { proposals } from "../../api/rules.ts";
import { sticks } from "../../api/setup.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { StickRows } from "../../parts/free-sticks.tsx";
import { type FreeStick, freeSticks, type UsedStick, usedSticks } from "../../parts/sticks.ts";
import { HubPlace } from "../../parts/hub-place.tsx";
import { LanguageField } from "../../parts/language-field.tsx";
import { NetworkStick } from "../../parts/network-stick.tsx";
import { hrefOf } from "../../route.ts";
import { endFirstSteps, finished, finishStep, type FirstStep } from "../../store/first-steps.ts";
import { home } from "../../store/home.ts";
import { noRoom } from "../../store/store.ts";
import { type Key, t } from "../../texts/texts.ts";
import { RoomSuggestions, roomSuggestions } from "./room-wizard.tsx";

const titles: Readonly<Record<FirstStep, Key>> = {
  place: "first.place",
  sticks: "first.sticks",
  pair: "first.pair",
  rooms: "first.rooms",
  rules: "first.rules",
};

/** What the hub would propose, by name. */
function ProposedRules(): JSX.Element {
  const { asked, again } = useAnswer(proposals, "first proposals");
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(found) => (
        <>
          <p>{t(found.length === 0 ? "proposals.none" : "first.rulesHow")}</p>
          <ul>
            {found.slice(0, 3).map(({ config }) => (
              <li key={JSON.stringify(config)}>{config.name}</li>
            ))}
          </ul>
        </>
      )}
    />
  );
}

function Step(props: {
  readonly step: FirstStep;
  readonly isFirst: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { step, isFirst, children } = props;
  return (
    <details class="card" open={isFirst}>
      <summary>{t(titles[step])}</summary>
      {children}
      <button type="button" class="button quiet" onClick={() => void finishStep(step)}>
        {t("first.next")} <span class="hidden">{t(titles[step])}</span>
      </button>
    </details>
  );
}

/** What of a step is to be done. */
function Task(props: {
  readonly step: FirstStep;
  readonly free: readonly FreeStick[];
  readonly used: readonly UsedStick[];
  readonly again: () => void;
}): JSX.Element {
  const { step, free, used, again } = props;
  switch (step) {
    case "place":
      return (
        <>
          <LanguageField />
          <HubPlace />
        </>
      );
    case "sticks":
      return <StickRows of={free} done={again} />;
    case "pair":
      return (
        <>
          <p>{t("first.pairHow", { n: home.of.devices.ids.value.length })}</p>
          <a class="button main" href={hrefOf("pair")}>
            {t("pair.title")}
          </a>
          <NetworkStick used={used} done={again} />
        </>
      );
    case "rooms":
      return <RoomSuggestions />;
    case "rules":
      return (
        <>
          <ProposedRules />
          <a class="button main" href={hrefOf("rules")}>
            {t("first.toRules")}
          </a>
        </>
      );
  }
}

/** The first steps in a new home that are neither done nor left out; nothing when there are none. */
export function FirstSteps(): JSX.Element | null {
  const { asked, again } = useAnswer(sticks, "sticks");
  const { value: found } = asked;
  const known = found.state === "done" ? found.value : [];
  const free = freeSticks(known);
  const devices = home.of.devices.ids.value.length - home.browsers.value.length;
  const steps = openSteps(finished.value ?? [], {
    devices,
    placed: devices - home.devicesByRoom.idsOf(noRoom).value.length,
    suggested: roomSuggestions().length,
    rules: home.of.rules.ids.value.length,
    sticks: free.length,
  });
  const [first] = steps;
  if (first === undefined) return null;
  return (
    <section aria-labelledby="first-title">
      <h2 id="first-title">{t("first.title")}</h2>
      {steps.map((step) => (
        <Step key={step} step={step} isFirst={step === first}>
          <Task step={step} free={free} used={usedSticks(known)} again={again} />
        </Step>
      ))}
      <button type="button" class="button quiet" onClick={() => void endFirstSteps()}>
        {t("first.end")}
      </button>
    </section>
  );
}
