import { useSignal } from "@preact/signals";
import type { CfgItem, ConfigurationObject } from "@ledge/model";
import type { JSX, TargetedSubmitEvent } from "preact";
import { type Answer, inTurn } from "../../api/call.ts";
import { configuration, configure } from "../../api/rows.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Select } from "../../parts/select.tsx";
import { fateText, SettingField } from "../../parts/settings-form.tsx";
import { type Entry, entryOf, valueOf } from "../../parts/settings.ts";
import { change, reasonOf } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { notify } from "../../store/notices.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { sharedItems, type Taken, takenBy } from "./bulk-settings.ts";

type Value = boolean | number | string;

function nameOf(id: string): string {
  return home.of.devices.of(id).peek()?.name ?? id;
}

/** Sets one setting of each device. @returns the former values of the devices that were told */
async function setEach(
  ids: readonly string[],
  name: string,
  value: Value,
): Promise<ReadonlyMap<string, unknown>> {
  const former = new Map<string, unknown>();
  for (const id of ids) {
    const now = await configuration(id, new AbortController().signal);
    const answer = now.ok ? await configure(id, { [name]: value }) : now;
    if (now.ok && answer.ok) former.set(id, now.value.parameters[name]);
    else if (!answer.ok) notify(`${nameOf(id)}: ${reasonOf(answer)}`, { isError: true });
  }
  return former;
}

/** Puts former values back. @returns the first refusal, if any */
function putBack(former: ReadonlyMap<string, unknown>, name: string): Promise<Answer<unknown>> {
  return inTurn(former, ([id, value]) => configure(id, { [name]: value }));
}

function takenText(taken: Taken): string {
  return taken.status === "taken" ? t("settings.fieldTaken") : fateText(taken);
}

const lookMs = 2000;

/** What became of a setting at each device that was told. */
function Outcome({ ids, name, round }: { ids: readonly string[]; name: string; round: number }): JSX.Element {
  const isPending = (of: ConfigurationObject): boolean => takenBy(of, name).status === "pending";
  const { asked, again } = useAnswer(
    (signal) => inTurn(ids, (id) => configuration(id, signal)),
    `${name} ${round} ${ids.join()}`,
    (now) => (now.state === "done" && now.value.some(isPending) ? lookMs : null),
  );
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(all) => (
        <dl class="facts">
          {all.map((of) => {
            const taken = takenBy(of, name);
            const isBad = taken.status === "refused" || taken.status === "missed";
            return [
              <dt key={`${of.id} name`}>{nameOf(of.id)}</dt>,
              <dd key={of.id} class={isBad ? "problem" : undefined}>
                {takenText(taken)}
              </dd>,
            ];
          })}
        </dl>
      )}
    />
  );
}

function Form(props: {
  readonly ids: readonly string[];
  readonly of: ConfigurationObject;
  readonly items: readonly CfgItem[];
}): JSX.Element | null {
  const { ids, of, items } = props;
  const chosen = useSignal(items[0]?.name ?? "");
  const entry = useSignal<Entry | undefined>(undefined);
  const told = useSignal<{ readonly ids: readonly string[]; readonly name: string; readonly round: number }>({
    ids: [],
    name: "",
    round: 0,
  });
  const item = items.find(({ name }) => name === chosen.value);
  if (item === undefined) return <p class="muted">{t("bulk.noSettings")}</p>;
  const { name } = item;
  const shown = entry.value ?? entryOf(item, of.parameters[name]);
  const tellNew = (some: readonly string[]): void =>
    void (told.value = { ids: some, name, round: told.peek().round + 1 });
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const value = valueOf(item, shown);
    if (value === undefined) return notify(t("extras.wrong"), { isError: true });
    const former = await setEach(ids, name, value);
    if (former.size === 0) return;
    tellNew([...former.keys()]);
    const back = async (): Promise<Answer<unknown>> => {
      const answer = await putBack(former, name);
      tellNew([...former.keys()]);
      return answer;
    };
    await change(Promise.resolve({ ok: true, value: true }), t("bulk.changed", { n: former.size }), back);
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <label class="field">
        <span>{t("bulk.setting")}</span>
        <Select
          value={name}
          choose={(to) => {
            chosen.value = to;
            entry.value = undefined;
          }}
        >
          {items.map((each) => (
            <option key={each.name} value={each.name}>
              {each.description}
            </option>
          ))}
        </Select>
      </label>
      <SettingField key={name} of="many" item={item} entry={shown} put={(to) => (entry.value = to)} />
      <LiveButton>{t("bulk.set", { n: ids.length })}</LiveButton>
      {told.value.round > 0 && <Outcome {...told.value} />}
    </form>
  );
}

/** Changes a setting of many devices of one model, with one way back. @param devices at least one */
export function BulkSettings(props: {
  readonly devices: readonly Device[];
  readonly model: string;
}): JSX.Element {
  const { devices, model } = props;
  const ids = devices.map(({ id }) => id);
  const [first = ""] = ids;
  const { asked, again } = useAnswer((signal) => configuration(first, signal), first);
  return (
    <section aria-labelledby="bulk-settings">
      <h3 id="bulk-settings">{t("bulk.settings", { model })}</h3>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(of) => <Form key={first} ids={ids} of={of} items={sharedItems(of)} />}
      />
    </section>
  );
}
