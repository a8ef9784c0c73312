import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import {
  type MessageTarget,
  setTarget,
  targetAlarms,
  targetKinds,
  type TargetKind,
} from "../../api/messages.ts";
import { type FieldFaults, faultsIn } from "../../parts/field-faults.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Select } from "../../parts/select.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { UserOptions } from "../../parts/user-options.tsx";
import { change, reasonOf } from "../../store/commands.ts";
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

const none: FieldFaults<TargetField> = { of: {}, others: [] };

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
  const faults = useSignal(none);
  const problem = useSignal("");
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const flaws = Object.entries(flawsOf(form.value, target)).map(([field, key]) => [field, t(key)]);
    faults.value = { of: Object.fromEntries(flaws) as FieldFaults<TargetField>["of"], others: [] };
    problem.value = "";
    if (flaws.length > 0) return;
    const answer = await setTarget(wantedOf(form.value, target));
    if (!answer.ok) {
      faults.value = faultsIn(answer, targetFields);
      problem.value = answer.errors.length === 0 ? reasonOf(answer) : faults.value.others.join(" ");
      return;
    }
    form.value = formOf(target === undefined ? undefined : answer.value[0], user.peek());
    await change(Promise.resolve(answer), t("messages.saved"));
    saved();
  };
  return (
    <form onSubmit={(event) => void save(event)} noValidate>
      <Fields
        id={`target-${target?.id ?? "new"}`}
        form={form.value}
        target={target}
        faults={faults.value.of}
        put={(part) => (form.value = { ...form.value, ...part })}
      />
      <Problem>{problem.value}</Problem>
      <LiveButton isMain>{t(target === undefined ? "messages.add" : "save")}</LiveButton>
    </form>
  );
}
