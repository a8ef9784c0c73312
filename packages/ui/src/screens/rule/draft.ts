import type { RuleConfig, RuleTemplate } from "@ledge/model";
import type { WantedRule } from "../../api/rules.ts";
import { countOf, type Field, fieldsOf, type Members, pathOf, type ValueField } from "./fields.ts";
import {
  emptyEntry,
  type Entry,
  entryOf,
  isProblem,
  type Problem,
  standardsOf,
  type Typed,
  valueOf,
} from "./values.ts";

/** A rule as a form holds it. Fields that the template does not have are kept as they came. */
export interface Draft {
  /** Null for a rule that is not saved yet. */
  readonly id: string | null;
  readonly configType: string;
  readonly name: string;
  /** Ids of devices and groups, by the path of the field. */
  readonly devices: Readonly<Record<string, readonly string[]>>;
  /** By the path of the field. */
  readonly values: Readonly<Record<string, readonly Entry[]>>;
  /** The CONFIG that it came from. */
  readonly from: RuleConfig | undefined;
}

/** Returns a new rule of a template, with its defaults. */
export function newDraft(template: RuleTemplate): Draft {
  const { configType, name } = template;
  const values = valuesIn(template, standardsOf);
  return { id: null, configType, name, devices: devicesIn(template), values, from: undefined };
}

/** Returns a saved rule as a form shows it. */
export function draftOf(template: RuleTemplate, config: RuleConfig): Draft {
  const { id, configType, name } = config;
  const values = valuesIn(template, (field) => config.extras[field.name] ?? []);
  return { id, configType, name, devices: devicesIn(template, config), values, from: config };
}

function devicesIn(template: RuleTemplate, config?: RuleConfig): Draft["devices"] {
  return Object.fromEntries(
    fieldsOf(template).flatMap((field) =>
      field.part === "extras" ? [] : [[pathOf(field), config?.[field.part][field.name] ?? []]],
    ),
  );
}

function valuesIn(template: RuleTemplate, of: (field: ValueField) => readonly Typed[]): Draft["values"] {
  return Object.fromEntries(
    fieldsOf(template).flatMap((field) => {
      if (field.part !== "extras") return [];
      const entries = of(field).map((value) => entryOf(field, value));
      return [[pathOf(field), entries.length === 0 ? blank(field) : entries]];
    }),
  );
}

/** A field of one value always shows it, empty or not; of several only those that somebody has added. */
function blank(field: ValueField): readonly Entry[] {
  const isOpen = field.max === 1 ? field.type !== "TIME_RANGE" || field.min > 0 : field.min > 0;
  return isOpen ? [emptyEntry(field)] : [];
}

/** Returns the CONFIG that a form stands for; entries that stand for no value are left out. */
export function configOf(template: RuleTemplate, draft: Draft): WantedRule {
  const { id, configType, name, from } = draft;
  const config = {
    inputs: { ...from?.inputs },
    outputs: { ...from?.outputs },
    extras: { ...from?.extras },
  };
  for (const field of fieldsOf(template)) {
    const path = pathOf(field);
    if (field.part !== "extras") config[field.part][field.name] = [...(draft.devices[path] ?? [])];
    else config.extras[field.name] = [...valuesOf(field, draft.values[path] ?? [])];
  }
  return { type: "CONFIG", id, configType, name: name.trim(), ...config };
}

function valuesOf(field: ValueField, entries: readonly Entry[]): readonly Typed[] {
  return entries
    .map((entry) => valueOf(field, entry))
    .filter((found): found is Typed => found !== null && !isProblem(found));
}

/** What keeps a form from being saved. `limit`: how many a field wants at least or at most. */
export type Flaw = Problem | { readonly kind: "few" | "many"; readonly limit: number };

/** Returns what is wrong with a form, by path: that of a field, or of one of its values. */
export function flawsOf(template: RuleTemplate, draft: Draft, members: Members): ReadonlyMap<string, Flaw> {
  const flaws = new Map<string, Flaw>();
  if (draft.name.trim() === "") flaws.set("name", { kind: "missing" });
  for (const field of fieldsOf(template)) {
    for (const [path, flaw] of field.part === "extras" ? valueFlaws(field, draft) : []) flaws.set(path, flaw);
    const count = counted(field, draft, members);
    const path = pathOf(field);
    const isSaid = [...flaws.keys()].some((said) => said.startsWith(`${path}.`));
    if (count < field.min && !isSaid)
      flaws.set(path, field.min === 1 ? { kind: "missing" } : { kind: "few", limit: field.min });
    if (count > field.max) flaws.set(path, { kind: "many", limit: field.max });
  }
  return flaws;
}

function* valueFlaws(field: ValueField, { values }: Draft): Generator<readonly [string, Flaw]> {
  const path = pathOf(field);
  for (const [index, entry] of (values[path] ?? []).entries()) {
    const found = valueOf(field, entry);
    if (isProblem(found)) yield [`${path}.${index}`, found];
  }
}

/** A device that the field does not take counts too: the hub then says what it lacks. */
function counted(field: Field, draft: Draft, members: Members): number {
  const path = pathOf(field);
  if (field.part === "extras") return valuesOf(field, draft.values[path] ?? []).length;
  const ids = draft.devices[path] ?? [];
  return Math.max(ids.length, countOf(field, ids, members));
}

/** Returns what the hub finds wrong, by path in the form: it names the rule among those that were sent. */
export function saidAt(
  errors: readonly { readonly field: string; readonly message: string }[],
): ReadonlyMap<string, string> {
  return new Map(errors.map(({ field, message }) => [field.replace(/^rules\.\d+\.?/, ""), message]));
}
