import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { useEffect } from "preact/hooks";
import type { CfgItem, ConfigurationObject } from "@ledge/model";
import { configuration, configure, undo } from "../api/rows.ts";
import { useAnswer } from "./answer.ts";
import { Button } from "./button.tsx";
import { AnswerFace } from "./faces.tsx";
import { change } from "../store/commands.ts";
import { sync } from "../store/home.ts";
import { t } from "../texts/texts.ts";
import { changesOf, type Entry, entryOf, type Fate, type Fates, fatesOf } from "./settings.ts";

type Put = (entry: Entry) => void;

/** Returns what became of a change at a setting, in words. */
export function fateText(fate: Fate): string {
  switch (fate.status) {
    case "pending":
      return t("settings.fieldPending");
    case "refused":
      return t("settings.fieldRefused", { message: fate.message });
    case "missed":
      return t("settings.fieldMissed");
  }
}

function Help({ id, of: { help, secret } }: { readonly id: string; readonly of: CfgItem }): JSX.Element {
  return (
    <p id={id} class="muted">
      {help} {secret && t("settings.secret")}
    </p>
  );
}

/** The field of a setting. */
export function SettingField(props: {
  readonly of: string;
  readonly item: CfgItem;
  readonly entry: Entry;
  /** What became of the last change at this setting, if it was part of that. */
  readonly fate?: Fate | undefined;
  readonly put: Put;
}): JSX.Element {
  const { of, item, entry, fate, put } = props;
  const { name, fieldType, description, help, options, minValue, maxValue, readOnly, secret } = item;
  const id = `setting-${of}-${name}`;
  const helped = help === null && !secret ? undefined : `${id}-help`;
  const fated = fate === undefined ? undefined : `${id}-fate`;
  const described = [fated, helped].filter((each) => each !== undefined).join(" ");
  const isBad = fate !== undefined && fate.status !== "pending";
  const text = {
    id,
    disabled: readOnly,
    "aria-invalid": isBad,
    "aria-describedby": described === "" ? undefined : described,
  };
  return (
    <div class={fieldType === "BOOL" ? "check" : "field"}>
      <label for={id}>{description}</label>
      {fieldType === "BOOL" && (
        <input
          {...text}
          type="checkbox"
          checked={entry === true}
          onChange={(event) => put(event.currentTarget.checked)}
        />
      )}
      {fieldType === "OPTION" && (
        <select {...text} value={String(entry)} onChange={(event) => put(event.currentTarget.value)}>
          {Object.entries(options ?? {}).map(([label, value]) => (
            <option key={label} value={String(value)}>
              {label}
            </option>
          ))}
        </select>
      )}
      {fieldType === "TEXT" && (
        <input
          {...text}
          type="text"
          autoComplete="off"
          value={String(entry)}
          onInput={(event) => put(event.currentTarget.value)}
        />
      )}
      {fieldType === "NUMBER" && (
        <input
          {...text}
          type="number"
          step="any"
          min={minValue ?? undefined}
          max={maxValue ?? undefined}
          value={String(entry)}
          onInput={(event) => put(event.currentTarget.value)}
        />
      )}
      {fate !== undefined && (
        <p id={fated} class={isBad ? "problem" : "muted"}>
          {fateText(fate)}
        </p>
      )}
      {helped && <Help id={helped} of={item} />}
    </div>
  );
}

/** What became of the last change as a whole: the setting that was refused, or why none was taken. */
function Status(props: { readonly of: ConfigurationObject; readonly fates: Fates }): JSX.Element {
  const { status, template } = props.of;
  const { of, message } = props.fates;
  const refused = template?.parameters.flatMap(({ name, description }) => {
    const fate = of.get(name);
    return fate?.status === "refused" ? [`${description}: ${fate.message}`] : [];
  });
  const text = {
    APPLIED: t("settings.applied"),
    PENDING: t("settings.pending"),
    FAILED: t("settings.failed", { message: refused?.[0] ?? message }),
  };
  return (
    <p role="status" class={status === "FAILED" ? "problem" : "muted"}>
      {text[status]}
    </p>
  );
}

function Form({ of, again }: { readonly of: ConfigurationObject; again: () => void }): JSX.Element {
  const edited = useSignal<Readonly<Record<string, Entry>>>({});
  /** What was saved and is not in the hub's answer yet: until then the fields show it. */
  const saved = useSignal<Readonly<Record<string, Entry>> | undefined>(undefined);
  useEffect(() => {
    const { value: now } = saved;
    if (now === undefined) return;
    saved.value = undefined;
    edited.value = Object.fromEntries(
      Object.entries(edited.value).filter(([name, entry]) => now[name] !== entry),
    );
  }, [of]);
  const items = of.template?.parameters ?? [];
  const values = { ...of.parameters, ...of.requested };
  const changes = changesOf(items, values, edited.value);
  const fates = fatesOf(of, items);
  const isBlocked =
    Object.keys(changes).length === 0 || saved.value !== undefined || sync.connection.value !== "live";
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isBlocked) return;
    const back = async (): ReturnType<typeof undo> => {
      const answer = await undo("configuration", of.id);
      again();
      return answer;
    };
    const sent = edited.value;
    if (await change(configure(of.id, changes), t("settings.saved"), back)) saved.value = sent;
    again();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      {items.map((item) => (
        <SettingField
          key={item.name}
          of={of.id}
          item={item}
          fate={fates.of.get(item.name)}
          entry={edited.value[item.name] ?? entryOf(item, values[item.name])}
          put={(entry) => (edited.value = { ...edited.value, [item.name]: entry })}
        />
      ))}
      <Status of={of} fates={fates} />
      <Button isMain isBlocked={isBlocked}>
        {t("save")}
      </Button>
    </form>
  );
}

const lookMs = 1000;

/** The settings of a device, and what became of the last change. */
export function SettingsForm({ id }: { readonly id: string }): JSX.Element {
  const { asked, again } = useAnswer(
    (signal) => configuration(id, signal),
    id,
    (now) => (now.state === "done" && now.value.status === "PENDING" ? lookMs : null),
  );
  return <AnswerFace answer={asked.value} again={again} show={(of) => <Form of={of} again={again} />} />;
}

/** The same as a part of the device's page. */
export function Settings({ id }: { readonly id: string }): JSX.Element {
  return (
    <section class="card" aria-labelledby="settings-title">
      <h2 id="settings-title">{t("device.settings")}</h2>
      <SettingsForm id={id} />
    </section>
  );
}
