import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import type { Answer } from "../../api/call.ts";
import { type ModbusKind, modbusKinds, type ModbusLine, modbusLines, pairModbus } from "../../api/wired.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { reasonOf } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { isKey, t } from "../../texts/texts.ts";
import { Lines } from "./lines.tsx";
import { addresses, canInvert, commandOf, draftOf, flawsOf, refusedModbus, registers } from "./modbus.ts";
import type { ModbusField, Said } from "./modbus.ts";
import { nextNewcomers } from "./newcomers.ts";

interface Facts {
  readonly kinds: readonly ModbusKind[];
  readonly lines: readonly ModbusLine[];
}

async function factsOf(signal: AbortSignal): Promise<Answer<Facts>> {
  const [kinds, lines] = await Promise.all([modbusKinds(signal), modbusLines(signal)]);
  if (!kinds.ok) return kinds;
  return lines.ok ? { ok: true, value: { kinds: kinds.value, lines: lines.value } } : lines;
}

/** Kinds without a maker are the hub's own words for a register. */
function nameOf({ deviceType, registerType, name }: ModbusKind): string {
  const key = `plain.${deviceType}.${registerType}`;
  return isKey(key) ? t(key) : name;
}

function Kinds(props: {
  readonly of: readonly ModbusKind[];
  readonly at: number;
  readonly put: (at: number) => void;
}): JSX.Element {
  const { of, at, put } = props;
  const makers = [...new Set(of.map(({ manufacturer }) => manufacturer))];
  return (
    <label class="field">
      <span>{t("modbus.kind")}</span>
      <select value={at} onChange={(event) => put(Number(event.currentTarget.value))}>
        {makers.map((maker) => (
          <optgroup key={maker} label={maker}>
            {of.map((kind, index) =>
              kind.manufacturer === maker ? (
                <option key={index} value={index}>
                  {nameOf(kind)}
                </option>
              ) : null,
            )}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

/** The line of a device; a hub with one need not be told. */
function LineChoice(props: {
  readonly of: readonly ModbusLine[];
  readonly value: string;
  readonly fault: string;
  readonly put: (port: string) => void;
}): JSX.Element | null {
  const { of, value, fault, put } = props;
  if (of.length < 2) return null;
  return (
    <div class="field">
      <label for="modbus-line">{t("modbus.line")}</label>
      <select
        id="modbus-line"
        value={value}
        aria-invalid={fault !== ""}
        onChange={(event) => put(event.currentTarget.value)}
      >
        <option value="">{t("modbus.anyLine")}</option>
        {of.map(({ port }) => (
          <option key={port} value={port}>
            {port}
          </option>
        ))}
      </select>
      {fault !== "" && <p class="problem">{fault}</p>}
    </div>
  );
}

function Box(props: {
  readonly text: string;
  readonly checked: boolean;
  readonly put: (isChecked: boolean) => void;
}): JSX.Element {
  const { text, checked, put } = props;
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => put(event.currentTarget.checked)} />
      <span>{text}</span>
    </label>
  );
}

interface Wizard {
  readonly done: (ids: readonly string[]) => void;
}

/** The state of the form, and what sends it. */
function useForm({ kinds }: Facts, first: ModbusKind, done: Wizard["done"]) {
  const at = useSignal(0);
  const kind = kinds[at.value] ?? first;
  const draft = useSignal(draftOf(kind, nameOf(kind)));
  const said = useSignal<readonly Said[]>([]);
  const problem = useSignal("");
  const isAsking = useSignal(false);
  const put = (change: Partial<typeof draft.value>): void => {
    draft.value = { ...draft.value, ...change };
    said.value = [];
    problem.value = "";
  };
  const choose = (next: number): void => {
    const { [next]: chosen } = kinds;
    if (chosen === undefined) return;
    at.value = next;
    put(draftOf(chosen, nameOf(chosen)));
  };
  const send = async (): Promise<void> => {
    said.value = flawsOf(kind, draft.value);
    problem.value = "";
    if (said.value.length > 0 || isAsking.value) return;
    const before = new Set(home.of.devices.ids.peek());
    isAsking.value = true;
    const answer = await pairModbus(commandOf(kind, draft.value));
    if (answer.ok) return done(await nextNewcomers(before));
    isAsking.value = false;
    const refused = refusedModbus(answer);
    if (refused === undefined) problem.value = reasonOf(answer);
    else said.value = [refused];
  };
  const faultOf = (field: ModbusField | ""): string => {
    const found = said.value.find((each) => each.field === field);
    return found === undefined ? "" : t(found.key, found.params);
  };
  const { value: isBusy } = isAsking;
  return {
    kind,
    at: at.value,
    draft: draft.value,
    put,
    choose,
    send,
    faultOf,
    isBusy,
    problem: problem.value,
  };
}

function Form({ of, first, done }: Wizard & { readonly of: Facts; readonly first: ModbusKind }): JSX.Element {
  const { kind, at, draft, put, choose, send, faultOf, isBusy, problem } = useForm(of, first, done);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void send();
  };
  const whole = problem || faultOf("");
  return (
    <form class="card" onSubmit={submit} noValidate>
      <Kinds of={of.kinds} at={at} put={choose} />
      <TextField
        id="modbus-name"
        label={t("device.name")}
        value={draft.name}
        fault={faultOf("name")}
        put={(name) => put({ name })}
      />
      <LineChoice of={of.lines} value={draft.port} fault={faultOf("port")} put={(port) => put({ port })} />
      <TextField
        id="modbus-address"
        label={t("modbus.address")}
        value={draft.address}
        fault={faultOf("address")}
        range={addresses}
        put={(address) => put({ address })}
      />
      {kind.registerRequired && (
        <TextField
          id="modbus-register"
          label={t("modbus.register")}
          value={draft.register}
          fault={faultOf("register")}
          range={registers}
          put={(register) => put({ register })}
        />
      )}
      {canInvert(kind) && (
        <Box
          text={t("modbus.inverted")}
          checked={draft.isInverted}
          put={(isInverted) => put({ isInverted })}
        />
      )}
      <Box text={t("modbus.ask")} checked={draft.isAsked} put={(isAsked) => put({ isAsked })} />
      <Problem>{faultOf("readDeviceIdSupported") || whole}</Problem>
      <p role="status">{isBusy && t("modbus.asking")}</p>
      <LiveButton isMain isBlocked={isBusy}>
        {t("modbus.add")}
      </LiveButton>
    </form>
  );
}

/** Pairs a Modbus device: its kind, line and address are typed, for no search finds it. */
export function Modbus({ stop, done }: Wizard & { readonly stop: () => void }): JSX.Element {
  const { asked, again } = useAnswer(factsOf, "Modbus");
  return (
    <>
      <h1 tabIndex={-1}>{t("modbus.title")}</h1>
      <p>{t("modbus.how")}</p>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(of) => {
          const [first] = of.kinds;
          if (first === undefined || of.lines.length === 0) return <Empty title={t("modbus.noLine")} />;
          return (
            <>
              <Form of={of} first={first} done={done} />
              <Lines of="MODBUS_CONTROLLER" />
            </>
          );
        }}
      />
      <button type="button" class="button" onClick={stop}>
        {t("pair.back")}
      </button>
    </>
  );
}
