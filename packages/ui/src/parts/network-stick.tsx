import { type Signal, useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import type { Answer } from "../api/call.ts";
import { giveUpStick, takeStick } from "../api/setup.ts";
import { health } from "../api/system.ts";
import { useAnswer } from "./answer.ts";
import { useCheckedForm } from "./checked-form.ts";
import { AnswerFace } from "./faces.tsx";
import { LiveButton } from "./live-button.tsx";
import { Problem } from "./problem.tsx";
import type { UsedStick } from "./sticks.ts";
import { TextField } from "./text-field.tsx";
import { t } from "../texts/texts.ts";
import {
  radioAt,
  radioFields,
  radioFlaws,
  type RadioKind,
  radioKinds,
  type TypedRadio,
} from "./network-radio.ts";

const mostHost = 253;

function Fields(props: {
  readonly kinds: readonly RadioKind[];
  readonly kind: Signal<RadioKind>;
  readonly typed: Signal<TypedRadio>;
  readonly faults: Readonly<Partial<Record<keyof TypedRadio, string>>>;
}): JSX.Element {
  const { kinds, kind, typed, faults } = props;
  const put = (part: Partial<TypedRadio>): void => void (typed.value = { ...typed.value, ...part });
  const choose = (name: string): void => {
    const chosen = kinds.find((one) => one.name === name);
    if (chosen === undefined) return;
    // A port that nobody has typed is that of the kind.
    if (typed.value.port === String(kind.value.port)) put({ port: String(chosen.port) });
    kind.value = chosen;
  };
  return (
    <>
      <label class="field">
        <span>{t("networkRadio.kind")}</span>
        <select value={kind.value.name} onChange={({ currentTarget: { value } }) => choose(value)}>
          {kinds.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TextField
        id="radio-host"
        label={t("networkRadio.host")}
        most={mostHost}
        value={typed.value.host}
        fault={faults.host ?? ""}
        put={(host) => put({ host })}
      />
      <TextField
        id="radio-port"
        label={t("networkRadio.port")}
        range={{ min: 1, max: 65_535 }}
        value={typed.value.port}
        fault={faults.port ?? ""}
        put={(port) => put({ port })}
      />
    </>
  );
}

function Form(props: {
  readonly kinds: readonly [RadioKind, ...RadioKind[]];
  readonly used: readonly UsedStick[];
  readonly done: () => void;
}): JSX.Element {
  const { kinds, used, done } = props;
  const kind = useSignal<RadioKind>(kinds[0]);
  const typed = useSignal<TypedRadio>({ host: "", port: String(kinds[0].port) });
  const { faults, problem, send } = useCheckedForm(radioFields);
  const take = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { protocol } = kind.value;
    const stick = radioAt(typed.value, kind.value);
    const former = used.find(({ usedBy }) => usedBy === protocol);
    const back = async (): Promise<Answer<true>> => {
      const isOfPeople = former !== undefined && former.driver !== null;
      const answer = await (isOfPeople ? takeStick({ ...former, protocol }) : giveUpStick(protocol));
      done();
      return answer;
    };
    const text = t("first.stickTaken", { model: stick.port });
    if ((await send(radioFlaws(typed.value), () => takeStick(stick), text, back)) === undefined) return;
    typed.value = { host: "", port: String(kind.value.port) };
    done();
  };
  return (
    <form onSubmit={(event) => void take(event)} noValidate>
      <p>{t("networkRadio.how")}</p>
      <Fields kinds={kinds} kind={kind} typed={typed} faults={faults.value} />
      <Problem>{problem.value}</Problem>
      <LiveButton>{t("networkRadio.take")}</LiveButton>
    </form>
  );
}

/** The kinds that the hub has an adapter for. */
function Known(props: { readonly used: readonly UsedStick[]; readonly done: () => void }): JSX.Element {
  const { asked, again } = useAnswer(health, "adapters");
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={({ adapters }) => {
        const [first, ...others] = radioKinds.filter((kind) =>
          adapters.some(({ protocol }) => protocol === kind.protocol),
        );
        if (first === undefined) return <p class="muted">{t("networkRadio.none")}</p>;
        return <Form {...props} kinds={[first, ...others]} />;
      }}
    />
  );
}

/** Gives an adapter a radio at an address of the network, which the hub has not found by itself. */
export function NetworkStick(props: {
  readonly used: readonly UsedStick[];
  readonly done: () => void;
}): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("networkRadio.title")}</summary>
      {isOpen.value && <Known {...props} />}
    </details>
  );
}
