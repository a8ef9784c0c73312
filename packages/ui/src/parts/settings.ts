import type { CfgItem, ConfigurationObject } from "@ledge/model";

/** What a field of the form holds: a text, or whether it is checked. */
export type Entry = string | boolean;

/** The secret of a device is not shown; a field left empty keeps it. */
function isSecret(item: CfgItem): boolean {
  return item.secret === true;
}

/** Returns what a field shows of a value. */
export function entryOf(item: CfgItem, value: unknown): Entry {
  if (item.fieldType === "BOOL") return value === true;
  return isSecret(item) || !isScalar(value) ? "" : String(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** Returns the value that a field stands for; undefined when it stands for none. */
export function valueOf(item: CfgItem, entry: Entry): boolean | number | string | undefined {
  switch (item.fieldType) {
    case "BOOL":
      return entry === true;
    case "NUMBER": {
      const text = String(entry).trim().replace(",", ".");
      const number = Number(text);
      return text === "" || Number.isNaN(number) ? undefined : number;
    }
    case "OPTION":
      return Object.values(item.options ?? {}).find((option) => String(option) === entry);
    case "TEXT":
      return String(entry);
  }
}

/** Returns the settings that a form changes, by name. */
export function changesOf(
  items: readonly CfgItem[],
  values: Readonly<Record<string, unknown>>,
  entries: Readonly<Record<string, Entry>>,
): Readonly<Record<string, unknown>> {
  const changes: [string, unknown][] = [];
  for (const item of items) {
    const entry = entries[item.name];
    if (entry === undefined || item.readOnly || (isSecret(item) && entry === "")) continue;
    const value = valueOf(item, entry);
    if (value !== undefined && value !== values[item.name]) changes.push([item.name, value]);
  }
  return Object.fromEntries(changes);
}

/** What became of the last change, at one of its settings. */
export type Fate =
  /** The device has not answered yet. */
  | { readonly status: "pending" }
  /** The device refused this setting, and said why. */
  | { readonly status: "refused"; readonly message: string }
  /** The device did not take it, and said nothing of this setting. */
  | { readonly status: "missed" };

/** What became of the last change: setting by setting, and what concerns no setting of it. */
export interface Fates {
  readonly of: ReadonlyMap<string, Fate>;
  readonly message: string;
}

/** A device names the setting that it refuses: `title: the display shows 16 characters`. */
const named = /^([A-Za-z][\w.-]*): (.+)$/s;

/** Returns what became of the last change of a device's settings. @param items the settings of its form */
export function fatesOf(
  { status, requested, message }: Pick<ConfigurationObject, "status" | "requested" | "message">,
  items: readonly Pick<CfgItem, "name">[],
): Fates {
  const names = items.map(({ name }) => name).filter((name) => Object.hasOwn(requested ?? {}, name));
  const every = (fate: Fate): ReadonlyMap<string, Fate> => new Map(names.map((name) => [name, fate]));
  if (status === "APPLIED") return { of: new Map(), message: "" };
  if (status === "PENDING") return { of: every({ status: "pending" }), message: "" };
  const [, culprit = "", why = ""] = named.exec(message ?? "") ?? [];
  if (!names.includes(culprit)) return { of: every({ status: "missed" }), message: message ?? "" };
  const of = new Map(every({ status: "missed" })).set(culprit, { status: "refused", message: why });
  return { of, message: "" };
}
