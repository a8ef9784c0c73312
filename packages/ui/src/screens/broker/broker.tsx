import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import {
  broker,
  type Broker,
  brokerCommands,
  exposedKinds,
  removeBroker,
  setBroker,
} from "../../api/broker.ts";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { useCheckedForm } from "../../parts/checked-form.ts";
import { FeatureFace } from "../../parts/feature-face.tsx";
import type { FieldFaults } from "../../parts/field-faults.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { LongTextField } from "../../parts/long-text-field.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Select } from "../../parts/select.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { UserOptions } from "../../parts/user-options.tsx";
import { change } from "../../store/commands.ts";
import { type Key, t } from "../../texts/texts.ts";
import { type BrokerField, brokerFields, type BrokerForm, flawsOf, formOf, wantedOf } from "./broker-form.ts";

const most = 256;
/** As much as the hub takes of a text in PEM. */
const mostPem = 16_384;

type Put = (part: Partial<BrokerForm>) => void;
interface Part {
  readonly form: BrokerForm;
  readonly faults: FieldFaults<BrokerField>["of"];
  readonly put: Put;
}

function Text(
  props: Part & {
    readonly name: Exclude<BrokerField, "user" | "ca" | "certificate" | "key">;
    readonly label: Key;
    readonly how?: string;
  },
): JSX.Element {
  const { form, faults, put, name, label, how = "" } = props;
  return (
    <TextField
      id={`broker-${name}`}
      label={t(label)}
      how={how}
      most={most}
      isSecret={name === "password"}
      value={form[name]}
      fault={faults[name] ?? ""}
      put={(text) => put({ [name]: text })}
    />
  );
}

/** What the hub shows on the broker, and what it takes from there. */
function Shown({ form, put }: Part): JSX.Element {
  const { expose, commands, user } = form;
  return (
    <>
      <fieldset class="segments">
        <legend>{t("broker.expose")}</legend>
        {exposedKinds.map((kind) => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={expose.includes(kind)}
              onChange={({ currentTarget: { checked } }) =>
                put({ expose: checked ? [...expose, kind] : expose.filter((each) => each !== kind) })
              }
            />
            <span>{t(`exposed.${kind}`)}</span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>{t("broker.commands")}</span>
        <Select
          value={commands}
          choose={(to) => put({ commands: brokerCommands.find((each) => each === to) ?? commands })}
        >
          {brokerCommands.map((each) => (
            <option key={each} value={each}>
              {t(`commandsFrom.${each}`)}
            </option>
          ))}
        </Select>
      </label>
      <label class="field">
        <span>{t("broker.user")}</span>
        <Select value={user} choose={(to) => put({ user: to })}>
          <option value="">{t("broker.anybody")}</option>
          <UserOptions />
        </Select>
      </label>
    </>
  );
}

/** Programs on the broker whose devices become the hub's. */
function Heard(part: Part): JSX.Element {
  return (
    <details>
      <summary>{t("broker.heard")}</summary>
      <Text {...part} name="zigbee2mqtt" label="broker.zigbee2mqtt" how={t("broker.zigbee2mqttHow")} />
      <Text {...part} name="tasmota" label="broker.tasmota" how={t("broker.tasmotaHow")} />
      <Text {...part} name="homeAssistant" label="broker.homeAssistant" how={t("broker.homeAssistantHow")} />
    </details>
  );
}

/** One of the texts in PEM by which broker and hub know each other. */
function Pem(
  props: Part & { readonly name: "ca" | "certificate" | "key"; readonly label: Key; readonly how: string },
): JSX.Element {
  const { form, faults, put, name, label, how } = props;
  return (
    <LongTextField
      id={`broker-${name}`}
      label={t(label)}
      how={how}
      most={mostPem}
      value={form[name]}
      fault={faults[name] ?? ""}
      put={(text) => put({ [name]: text })}
    />
  );
}

function Drop(props: {
  readonly text: Key;
  readonly isChosen: boolean;
  readonly put: (is: boolean) => void;
}): JSX.Element {
  const { text, isChosen, put } = props;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={({ currentTarget }) => put(currentTarget.checked)}
      />
      <span>{t(text)}</span>
    </label>
  );
}

/** How broker and hub know each other over TLS, where the usual authorities do not. */
function Tls({ of, ...part }: Part & { readonly of: Broker | null }): JSX.Element {
  const { form, faults, put } = part;
  const isFlawed = [faults.ca, faults.certificate, faults.key].some((fault) => (fault ?? "") !== "");
  const kept = (has: boolean, how: Key): string => t(has ? "broker.pemKept" : how);
  return (
    <details open={isFlawed || undefined}>
      <summary>{t("broker.tls")}</summary>
      <Pem {...part} name="ca" label="broker.ca" how={kept(of?.hasCa === true, "broker.caHow")} />
      {of?.hasCa === true && (
        <Drop text="broker.dropCa" isChosen={form.dropsCa} put={(dropsCa) => put({ dropsCa })} />
      )}
      <Pem
        {...part}
        name="certificate"
        label="broker.certificate"
        how={kept(of?.hasCertificate === true, "broker.certificateHow")}
      />
      <Pem {...part} name="key" label="broker.key" how={t("broker.keyHow")} />
      {of?.hasCertificate === true && (
        <Drop
          text="broker.dropCertificate"
          isChosen={form.dropsCertificate}
          put={(dropsCertificate) => put({ dropsCertificate })}
        />
      )}
    </details>
  );
}

function Editor({ of, again }: { readonly of: Broker | null; readonly again: () => void }): JSX.Element {
  const form = useSignal(formOf(of));
  const { faults, problem, send } = useCheckedForm(brokerFields);
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { value: typed } = form;
    const saved = await send(flawsOf(typed, of), () => setBroker(wantedOf(typed)), t("broker.saved"));
    if (saved === undefined) return;
    form.value = formOf(saved);
    again();
  };
  const part = {
    form: form.value,
    faults: faults.value,
    put: (some: Partial<BrokerForm>) => void (form.value = { ...form.value, ...some }),
  };
  return (
    <form class="card" onSubmit={(event) => void save(event)} noValidate>
      <Text {...part} name="url" label="broker.url" how={t("broker.urlHow")} />
      <Text {...part} name="username" label="broker.username" />
      <Text
        {...part}
        name="password"
        label="broker.password"
        how={of?.hasPassword === true ? t("broker.passwordKept") : ""}
      />
      <Tls {...part} of={of} />
      <Shown {...part} />
      <Heard {...part} />
      <Problem>{problem.value}</Problem>
      <LiveButton isMain>{t("save")}</LiveButton>
    </form>
  );
}

/** The MQTT broker on which the hub shows its home, and from which it takes devices. */
export function BrokerScreen(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("broker.title")}</h1>
      <p>{t("broker.how")}</p>
      <FeatureFace
        feature="MQTT"
        ask={broker}
        show={(of, again) => (
          <>
            {of === null && <p>{t("broker.none")}</p>}
            <Editor key={of === null ? "none" : "set"} of={of} again={again} />
            {of !== null && (
              <section class="card">
                <AskedTwice
                  text={t("broker.remove")}
                  question={t("broker.removeHow")}
                  yes={t("broker.removeNow")}
                  no={t("broker.keep")}
                  act={async () => {
                    await change(removeBroker(), t("broker.removed"));
                    again();
                  }}
                />
              </section>
            )}
          </>
        )}
      />
    </>
  );
}
