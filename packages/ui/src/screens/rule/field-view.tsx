import type { JSX } from "preact";
import { PickOne, PickSeveral } from "../../parts/device-picker.tsx";
import { home } from "../../store/home.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import type { Draft, Flaw } from "./draft.ts";
import {
  countOf,
  type DeviceField,
  type Field,
  isMeant,
  type Members,
  pathOf,
  takes,
  type ValueField,
} from "./fields.ts";
import { durationOf, emptyEntry, type Entry } from "./values.ts";
import { ValueEditor } from "./value-editor.tsx";

/** The devices and groups of the home. */
export const members: Members = {
  device: (id) => home.of.devices.of(id).value,
  members: (id) => home.of.groups.of(id).value?.members,
};

/** What is wrong with the fields of a form, by path: what the form knows, and what the hub said. */
export interface Faults {
  readonly flaws: ReadonlyMap<string, Flaw>;
  readonly said: ReadonlyMap<string, string>;
}

interface Showing<Of extends Field> {
  readonly field: Of;
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  readonly faults: Faults;
}

const units: Readonly<Record<string, string>> = {
  LUX: "lx",
  PERCENT: "%",
  TEMPERATURE: "°C",
  PPM: "ppm",
  POWER_W: "W",
};

function limitText({ type }: Pick<ValueField, "type">, limit: number): string {
  if (type !== "TIME_DELTA_MS") return `${limit} ${units[type] ?? ""}`.trim();
  const { amount, unit } = durationOf(limit);
  return `${amount} ${unit}`;
}

function flawText(field: Field, flaw: Flaw): string {
  if (!("limit" in flaw)) return t(`flaw.${flaw.kind}`);
  const isCount = flaw.kind === "few" || flaw.kind === "many" || field.part !== "extras";
  return t(`flaw.${flaw.kind}`, { limit: isCount ? flaw.limit : limitText(field, flaw.limit) });
}

/** Returns what is wrong at a path, in words; empty for nothing. @param isWhole what is below it counts too */
function faultAt(field: Field, path: string, { flaws, said }: Faults, isWhole: boolean): string {
  const isThere = (at: string): boolean => at === path || (isWhole && at.startsWith(`${path}.`));
  const found = [...flaws].filter(([at]) => isThere(at)).map(([, flaw]) => flawText(field, flaw));
  if (found.length > 0) return found.join(" ");
  return [...said]
    .filter(([at]) => isThere(at))
    .map(([, message]) => message)
    .join(" ");
}

/** Ids of the texts that describe a field. */
function aroundOf(field: Field, path: string, fault: string): { id: string; described: string | undefined } {
  const id = path.replaceAll(".", "-");
  const texts = [...(field.help === "" ? [] : [`${id}-help`]), ...(fault === "" ? [] : [`${id}-fault`])];
  return { id, described: texts.length === 0 ? undefined : texts.join(" ") };
}

function Around({ field, id, fault }: { readonly field: Field; id: string; fault: string }): JSX.Element {
  return (
    <>
      {field.help !== "" && (
        <p id={`${id}-help`} class="muted">
          {field.help}
        </p>
      )}
      {fault !== "" && (
        <p id={`${id}-fault`} class="problem">
          {fault}
        </p>
      )}
    </>
  );
}

/** Whether a field is first of all for a device or group. */
function isMeantFor(field: DeviceField, id: string): boolean {
  const device = home.of.devices.of(id).value;
  return device === undefined || isMeant(device, field);
}

function Devices({ field, draft, change, faults }: Showing<DeviceField>): JSX.Element {
  const path = pathOf(field);
  const chosen = draft.devices[path] ?? [];
  const fault = faultAt(field, path, faults, true);
  const { id, described } = aroundOf(field, path, fault);
  const picking = {
    id,
    label: field.label,
    described,
    isWrong: fault !== "",
    takes: (each: string) => takes(field, each, members),
    isMeant: (each: string) => isMeantFor(field, each),
    chosen,
    put: (ids: readonly string[]) => change({ ...draft, devices: { ...draft.devices, [path]: ids } }),
  };
  return (
    <div class="field">
      {field.max === 1 ? (
        <PickOne {...picking} />
      ) : (
        <PickSeveral {...picking} isFull={countOf(field, chosen, members) >= field.max} />
      )}
      <Around field={field} id={id} fault={fault} />
    </div>
  );
}

/** The devices that a value is about, members of groups included. */
function devicesFor(field: ValueField, draft: Draft): readonly Device[] {
  const { about } = field;
  const ids = [`inputs.${about}`, `outputs.${about}`].flatMap((path) => draft.devices[path] ?? []);
  return ids.flatMap((id) => members.members(id) ?? [id]).flatMap((id) => home.of.devices.of(id).value ?? []);
}

type Editing = Pick<Parameters<typeof ValueEditor>[0], "field" | "about" | "configType" | "label">;

interface Editable {
  readonly editing: Editing;
  readonly path: string;
  readonly entries: readonly Entry[];
  readonly put: (entries: readonly Entry[]) => void;
  readonly faults: Faults;
}

function Values({ field, draft, change, faults }: Showing<ValueField>): JSX.Element {
  const path = pathOf(field);
  const entries = draft.values[path] ?? [];
  const unit = units[field.type];
  const label = unit === undefined ? field.label : `${field.label} (${unit})`;
  const editable: Editable = {
    editing: { field, label, about: devicesFor(field, draft), configType: draft.configType },
    path,
    entries,
    put: (next) => change({ ...draft, values: { ...draft.values, [path]: next } }),
    faults,
  };
  const [only] = entries;
  const isOne = field.max === 1 && field.type !== "TIME_RANGE" && entries.length === 1;
  return isOne && only !== undefined ? <One {...editable} entry={only} /> : <Several {...editable} />;
}

/** The only value of a field. */
function One({ editing, path, entry, put, faults }: Editable & { readonly entry: Entry }): JSX.Element {
  const { field, label } = editing;
  const fault = faultAt(field, path, faults, true);
  const around = aroundOf(field, path, fault);
  const hasLabel = entry.kind !== "days";
  return (
    <div class={entry.kind === "check" ? "check" : "field"}>
      {hasLabel ? <label for={around.id}>{label}</label> : <span>{label}</span>}
      <ValueEditor
        {...editing}
        {...around}
        entry={entry}
        isWrong={fault !== ""}
        put={(next) => put([next])}
      />
      <Around field={field} id={around.id} fault={fault} />
    </div>
  );
}

function Several(editable: Editable): JSX.Element {
  const { editing, path, entries, put, faults } = editable;
  const { field, label } = editing;
  const fault = faultAt(field, path, faults, false);
  const { id, described } = aroundOf(field, path, fault);
  return (
    <fieldset class="field" aria-describedby={described}>
      <legend>{label}</legend>
      {entries.map((entry, index) => (
        // Values have no ids.
        <Item key={index} index={index} entry={entry} {...editable} />
      ))}
      <Around field={field} id={id} fault={fault} />
      {entries.length < field.max && (
        <button type="button" class="button" onClick={() => put([...entries, emptyEntry(field)])}>
          {t("rule.addValue")} <span class="hidden">{label}</span>
        </button>
      )}
    </fieldset>
  );
}

/** One of several values of a field. */
function Item(of: Editable & { readonly index: number; readonly entry: Entry }): JSX.Element {
  const { editing, path, entries, put, faults, index, entry } = of;
  const at = `${path}.${index}`;
  const fault = faultAt(editing.field, at, faults, true);
  const id = at.replaceAll(".", "-");
  const label = t("rule.nth", { label: editing.label, n: index + 1 });
  const without = entries.filter((_, place) => place !== index);
  return (
    <div class="value">
      <ValueEditor
        {...editing}
        id={id}
        label={label}
        described={fault === "" ? undefined : `${id}-fault`}
        entry={entry}
        isWrong={fault !== ""}
        put={(next) => put(entries.map((each, place) => (place === index ? next : each)))}
      />
      {fault !== "" && (
        <p id={`${id}-fault`} class="problem">
          {fault}
        </p>
      )}
      <button type="button" class="button quiet" onClick={() => put(without)}>
        {t("pick.remove")} <span class="hidden">{label}</span>
      </button>
    </div>
  );
}

/** A field of a rule's form, with its help and what is wrong with it. */
export function FieldView({ field, ...others }: Showing<Field>): JSX.Element {
  return field.part === "extras" ? (
    <Values field={field} {...others} />
  ) : (
    <Devices field={field} {...others} />
  );
}
