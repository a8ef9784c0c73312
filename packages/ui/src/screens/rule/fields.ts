import type { RuleTemplate } from "@ledge/model";

/** What of a device decides whether a field takes it. */
export interface Capable {
  readonly capabilities: { readonly values: readonly string[] };
}

interface Said {
  readonly name: string;
  /** In the reader's language. */
  readonly label: string;
  readonly help: string;
  /** How many devices or values it takes. */
  readonly min: number;
  readonly max: number;
}

/** A field of a template that takes ids of devices and groups. */
export interface DeviceField extends Said {
  readonly part: "inputs" | "outputs";
  readonly capabilities: readonly string[];
  /** A device needs all of the capabilities; else one of them. */
  readonly needsAll: boolean;
}

/** A field of a template that takes typed values. */
export interface ValueField extends Said {
  readonly part: "extras";
  /** The type of its values, such as TIME_DELTA_MS. */
  readonly type: string;
  /** Limits of a number. */
  readonly least: number | null;
  readonly most: number | null;
  /** A value, a list where it takes several, or null without one. */
  readonly standard: unknown;
  readonly options: readonly string[];
  /** The name of the device field that it is about. */
  readonly about: string | null;
}

export type Field = DeviceField | ValueField;

type DeviceItem = RuleTemplate["inputs"][string] | RuleTemplate["outputs"][string];
type ValueItem = RuleTemplate["extras"][string];

/** Returns where a field stands in a CONFIG, such as `extras.timeout`. */
export function pathOf({ part, name }: Pick<Field, "part" | "name">): string {
  return `${part}.${name}`;
}

/** Returns the fields of a template in its order; what is about devices follows them. */
export function fieldsOf({ inputs, outputs, extras }: RuleTemplate): readonly Field[] {
  const found = [
    ...ordered(inputs, (name, item) => deviceField("inputs", name, item)),
    ...ordered(outputs, (name, item) => deviceField("outputs", name, item)),
    ...ordered(extras, valueField),
  ]
    .toSorted((a, b) => a.order - b.order)
    .map(({ field }) => field);
  const names = new Set(found.map(({ name }) => name));
  const isAbout = (field: Field): field is ValueField =>
    field.part === "extras" && field.about !== null && field.about !== field.name && names.has(field.about);
  const about = found.filter(isAbout);
  return found.flatMap((field) =>
    isAbout(field) ? [] : [field, ...about.filter((other) => other.about === field.name)],
  );
}

interface Ordered {
  readonly order: number;
  readonly field: Field;
}

function ordered<Item extends { readonly displayOrder: number }>(
  items: Readonly<Record<string, Item>>,
  to: (name: string, item: Item) => Field,
): readonly Ordered[] {
  return Object.entries(items).map(([name, item]) => ({ order: item.displayOrder, field: to(name, item) }));
}

function said(name: string, item: DeviceItem | ValueItem): Said {
  const { description: label, help, minCount: min, maxCount: max } = item;
  return { name, label, help, min, max };
}

function deviceField(part: "inputs" | "outputs", name: string, item: DeviceItem): DeviceField {
  const { capabilities, selectOp } = item;
  return { part, ...said(name, item), capabilities, needsAll: selectOp === "and" };
}

function valueField(name: string, item: ValueItem): ValueField {
  const { fieldType, minValue, maxValue, defaultValue, options, extraFor } = item;
  return {
    part: "extras",
    ...said(name, item),
    type: fieldType,
    least: minValue,
    most: maxValue,
    standard: defaultValue,
    options: Object.keys(options ?? {}),
    about: extraFor,
  };
}

/** Whether a field takes a device. */
export function fits(
  { capabilities: { values } }: Capable,
  { name, capabilities, needsAll }: DeviceField,
): boolean {
  const has = (capability: string): boolean => values.includes(capability);
  // A siren has a switch, and is no light.
  if (name === lamps && has("GENERATE_ALERT")) return false;
  return needsAll ? capabilities.every(has) : capabilities.some(has);
}

/** The name that templates give to a field for lamps; it takes whatever switches, as a plug may feed a lamp. */
const lamps = "lights";

/** What makes a device a lamp for sure. */
const ofLamps = ["CONTROL_LIGHT", "BRIGHTNESS", "COLOR_TEMP", "COLOR_HS"];

/** Whether a device is what a field is first of all for; others that it takes are shown after these. */
export function isMeant(device: Capable & { readonly type?: string }, { name }: DeviceField): boolean {
  if (name !== lamps || device.type === "LIGHT") return true;
  return ofLamps.some((capability) => device.capabilities.values.includes(capability));
}

/** The devices and groups of a home, by id. */
export interface Members {
  readonly device: (id: string) => Capable | undefined;
  /** The devices of a group; undefined for what is none. */
  readonly members: (id: string) => readonly string[] | undefined;
}

/** Whether a field takes a device, or a group with a member that fits. */
export function takes(field: DeviceField, id: string, { device, members }: Members): boolean {
  return (members(id) ?? [id]).some((each) => {
    const found = device(each);
    return found !== undefined && fits(found, field);
  });
}

/** Returns how many devices ids stand for, members of groups included. */
export function countOf(field: DeviceField, ids: readonly string[], of: Members): number {
  const all = new Set(ids.flatMap((id) => of.members(id) ?? [id]));
  return [...all].filter((id) => takes(field, id, { ...of, members: () => undefined })).length;
}
