import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import type { Answer } from "../../api/call.ts";
import { undo } from "../../api/rows.ts";
import { removeGroup, saveGroup, type WantedGroup } from "../../api/scenes.ts";
import { DraftBar, DraftLine, useDraft } from "../../parts/draft.tsx";
import { PickSeveral } from "../../parts/device-picker.tsx";
import { Denied } from "../../parts/denied.tsx";
import { Loading } from "../../parts/faces.tsx";
import { GroupControls, groupControls, sharedBy } from "../../parts/group-controls.tsx";
import { useFresh } from "../../parts/fresh.ts";
import { Icon } from "../../parts/icon.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { PutBack } from "../../parts/put-back.tsx";
import { RoomOptions } from "../../parts/room-options.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { hrefOf, route } from "../../route.ts";
import { change, dropNew, reasonOf, remove } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { notify } from "../../store/notices.ts";
import { onceThere } from "../../store/once-there.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Objects } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { faultIn } from "./faults.ts";

type Group = Objects["groups"];

const empty: WantedGroup = { id: null, name: "", members: [], room: [] };

function Controls({ group }: { readonly group: Group }): JSX.Element {
  if (groupControls(sharedBy(group.members)).length === 0) return <p class="muted">{t("group.nothing")}</p>;
  return (
    <section class="card" aria-labelledby="group-controls">
      <h2 id="group-controls">{t("group.all")}</h2>
      <GroupControls group={group} />
    </section>
  );
}

function typedIn(group: WantedGroup): string {
  return JSON.stringify(group);
}

/** The state of a form, and what saves it. */
function useForm(start: WantedGroup) {
  const draft = useSignal(start);
  const faults = useSignal<readonly { readonly field: string; readonly message: string }[]>([]);
  const drafting = useDraft(`group ${start.id ?? "new"}`, start, typedIn, draft);
  useFresh(start.id === null ? undefined : start, typedIn, draft);
  const { value: form } = draft;
  const put = (next: WantedGroup): void => {
    draft.value = next;
    faults.value = [];
  };
  const save = async (): Promise<void> => {
    const name = form.name.trim();
    if (name === "") return void (faults.value = [{ field: "name", message: t("flaw.missing") }]);
    const answer = await saveGroup({ ...form, name });
    if (!answer.ok) {
      faults.value = answer.errors;
      if (answer.errors.length === 0) notify(reasonOf(answer), { isError: true });
      return;
    }
    drafting.done();
    const id = answer.value[0]?.id ?? "";
    const back = (): Promise<Answer<unknown>> =>
      form.id === null ? dropNew("groups", id, removeGroup(id)) : undo("group", id);
    await change(Promise.resolve(answer), t("rule.saved", { name }), back);
    if (form.id === null) onceThere(home.of.groups.of(id), () => (location.hash = hrefOf("group", id)));
  };
  return { form, put, save, faults: faults.value, drafting };
}

function Form({ start }: { readonly start: WantedGroup }): JSX.Element {
  const { form, put, save, faults, drafting } = useForm(start);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void save();
  };
  const memberFault = faultIn(faults, "members");
  const others = faults.filter(({ field }) => !/^(?:name|members)\b/.test(field));
  return (
    <form class="card" onSubmit={submit} noValidate>
      <DraftBar of={drafting} />
      <TextField
        id="group-name"
        label={t("rule.name")}
        value={form.name}
        fault={faultIn(faults, "name")}
        put={(name) => put({ ...form, name })}
      />
      <label class="field">
        <span>{t("device.room")}</span>
        <select
          value={form.room[0] ?? ""}
          onChange={({ currentTarget: { value } }) => put({ ...form, room: value === "" ? [] : [value] })}
        >
          <option value="">{t("home.noRoom")}</option>
          <RoomOptions />
        </select>
      </label>
      <div class="field">
        <PickSeveral
          id="group-members"
          label={t("group.members")}
          described={memberFault === "" ? undefined : "group-members-fault"}
          isWrong={memberFault !== ""}
          isFull={false}
          takes={(id) => home.of.devices.of(id).value !== undefined}
          chosen={form.members}
          put={(members) => put({ ...form, members })}
        />
        {memberFault !== "" && (
          <p id="group-members-fault" class="problem">
            {memberFault}
          </p>
        )}
      </div>
      {others.map(({ message }) => (
        <Problem key={message}>{message}</Problem>
      ))}
      <LiveButton isMain>{t("save")}</LiveButton>
      <DraftLine of={drafting} />
    </form>
  );
}

/** A saved group: its controls, and what changes it. */
function Saved({ group }: { readonly group: Group }): JSX.Element {
  const { id, name, members, room } = group;
  return (
    <>
      <h1 tabIndex={-1}>{name}</h1>
      <div class="row">
        <LiveButton onClick={() => void remove("groups", id, name, removeGroup(id))}>
          {t("rules.remove", { name })}
        </LiveButton>
        <PutBack kind="group" id={id} name={name} label="past.putRule" />
      </div>
      <Controls group={group} />
      <Form start={{ id, name, members, room }} />
    </>
  );
}

function Shown(): JSX.Element {
  const { id } = route.value;
  if (id === null)
    return (
      <>
        <h1 tabIndex={-1}>{t("groups.new")}</h1>
        <Form start={empty} />
      </>
    );
  const group = home.of.groups.of(id).value;
  if (group !== undefined) return <Saved key={id} group={group} />;
  return !home.isTold.value ? <Loading /> : <h1 tabIndex={-1}>{t("error.missing")}</h1>;
}

/** A group of devices, new or saved. */
export function GroupScreen(): JSX.Element {
  return (
    <>
      <a class="back" href={hrefOf("scenes")}>
        <Icon name="back" />
        {t("scenes.title")}
      </a>
      {isAtLeast("IDENTIFIED_USER") ? (
        <Shown />
      ) : (
        <Denied title={t("scenes.title")} why={t("scenes.notYours")} />
      )}
    </>
  );
}
