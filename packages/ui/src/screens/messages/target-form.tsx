import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import {
  type MessageTarget,
  setTarget,
  targetAlarms,
  targetKinds,
  type TargetKind,
} from "../../api/messages.ts";
import { useCheckedForm } from "../../parts/checked-form.ts";
import type { FieldFaults } from "../../parts/field-faults.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Select } from "../../parts/select.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { UserOptions } from "../../parts/user-options.tsx";
import { user } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { type Key, t } from "../../texts/texts.ts";
import { flawsOf, formOf, type TargetField, targetFields, type TargetForm, wantedOf } from "./targets.ts";

const mostUrl = 512;
const mostTopic = 255;
const mostToken = 1024;

const kindNames = { ntfy: "ntfy", gotify: "Gotify", matrix: "Matrix" } as const satisfies Record<
  TargetKind,
  string
>;

export function kindName(kind: TargetKind): string {
  return kindNames[kind];
}

/** Whose phone it is, and which alarms it gets. */
function Recipient(props: {
  readonly form: TargetForm;
  readonly put: (part: Partial<TargetForm>) => void;
}): JSX.Element {
  const { form, put } = props;
  return (
    <>
      <label class="field">
        <span>{t("messages.whose")}</span>
        <Select value={form.user} choose={(to) => put({ user: to })}>
          <UserOptions />
        </Select>
      </label>
      <label class="field">
        <span>{t("messages.alarms")}</span>
        <Select
          value={form.alarms}
          choose={(to) => put({ alarms: targetAlarms.find((level) => level === to) ?? form.alarms })}
        >
          {targetAlarms.map((level) => (
            <option key={level} value={level}>
              {t(`alarmsFrom.${level}`)}
            </option>
          ))}
        </Select>
      </label>
    </>
  );
}

/** The fields of a server, with what is wrong at each. */
function Fields(props: {
  readonly id: string;
  readonly form: TargetForm;
  readonly target: MessageTarget | undefined;
  readonly faults: FieldFaults<TargetField>["of"];
  readonly put: (part: Partial<TargetForm>) => void;
}): JSX.Element {
  const { id, form, target, faults, put } = props;
  const field = (name: Exclude<TargetField, "user">, label: Key, how: string, most: number): JSX.Element => (
    <TextField
      id={`${id}-${name}`}
      label={t(label)}
      how={how}
      most={most}
      isSecret={name === "token"}
      value={form[name]}
      fault={faults[name] ?? ""}
      put={(text) => put({ [name]: text })}
    />
  );
  return (
    <>
      <label class="field">
        <span>{t("messages.kind")}</span>
        <Select
          value={form.kind}
          choose={(to) => put({ kind: targetKinds.find((kind) => kind === to) ?? form.kind })}
        >
          {targetKinds.map((kind) => (
            <option key={kind} value={kind}>
              {kindName(kind)}
            </option>
          ))}
        </Select>
      </label>
      {field(
        "url",
        "messages.url",
        t(isAtLeast("OWNER_ADMIN") ? "messages.urlOwner" : "messages.urlHow"),
        mostUrl,
      )}
      {form.kind === "ntfy" && field("topic", "messages.topic", t("messages.topicHow"), mostTopic)}
      {form.kind === "matrix" && field("topic", "messages.room", t("messages.roomHow"), mostTopic)}
      {field(
        "token",
        "messages.token",
        t(target?.hasToken === true ? "messages.tokenKept" : `tokenOf.${form.kind}`),
        mostToken,
      )}
      {field("name", "device.name", "", 64)}
      <Recipient form={form} put={put} />
    </>
  );
}

/** Adds a server, or changes one. */
export function TargetEditor(props: {
  readonly target?: MessageTarget;
  readonly saved: () => void;
}): JSX.Element {
  const { target, saved } = props;
  const form = useSignal(formOf(target, user.peek()));
  const { faults, problem, send } = useCheckedForm(targetFields);
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { value: typed } = form;
    const ask = (): ReturnType<typeof setTarget> => setTarget(wantedOf(typed, target));
    const targets = await send(flawsOf(typed, target), ask, t("messages.saved"));
    if (targets === undefined) return;
    form.value = formOf(target === undefined ? undefined : targets[0], user.peek());
    saved();
  };
  return (
    <form onSubmit={(event) => void save(event)} noValidate>
      <Fields
        id={`target-${target?.id ?? "new"}`}
        form={form.value}
        target={target}
        faults={faults.value}
        put={(part) => (form.value = { ...form.value, ...part })}
      />
      <Problem>{problem.value}</Problem>
      <LiveButton isMain>{t(target === undefined ? "messages.add" : "save")}</LiveButton>
    </form>
  );
}
