import type { ConfigurationItem, ConfigurationValue } from "@ledge/model";
import { limits } from "@ledge/model";
import { plainItem } from "@ledge/port";
import { codecOf } from "./codec.ts";
import type { Expose } from "./expose.ts";
import { keyOf } from "./expose.ts";
import type { Leaf } from "./leaf.ts";
import { isSecret, nameOf } from "./leaf.ts";

/** A setting and the property that holds it. */
export interface ExposedSetting extends Omit<Leaf, "expose" | "whole"> {
  readonly item: ConfigurationItem;
  /** Converts the value of the property's part; undefined when it is not a value of the setting. */
  readonly from: (value: unknown) => ConfigurationValue | undefined;
  /** Returns the value to send; undefined when the text is no value of the setting. */
  readonly to: (value: ConfigurationValue) => unknown;
  /** It is sent by itself, not with other settings of its property. */
  readonly alone?: true;
}

/** Values that can be set and read, or are meant to be kept by the device. */
function isKept(leaf: Leaf): boolean {
  const { expose, isSaid, isSettable, path } = leaf;
  if (!isSettable || nameLength(path) > limits.nameChars) return false;
  return isSaid || isSecret(leaf) || expose.type === "text" || (expose.isConfig && expose.type !== "enum");
}

const nameLength = (path: readonly string[]): number => path.join(".").length;

/** Splits leaves without an attribute into settings and others. */
export function settingsOf(rest: readonly Leaf[]): {
  readonly settings: readonly ExposedSetting[];
  readonly others: readonly Leaf[];
} {
  const settings = new Map<string, ExposedSetting>();
  const others: Leaf[] = [];
  for (const leaf of rest) {
    const setting = isKept(leaf) ? settingOf(leaf) : undefined;
    const isNew = setting !== undefined && !settings.has(setting.item.name);
    if (isNew && settings.size < limits.configurationItems) settings.set(setting.item.name, setting);
    else others.push(leaf);
  }
  return { settings: [...settings.values()], others };
}

function settingOf(leaf: Leaf): ExposedSetting | undefined {
  const { expose, whole: _, ...at } = leaf;
  const name = nameOf(leaf);
  if (!/^[A-Za-z]/.test(name) || name.length > limits.nameChars) return undefined;
  if (isSecret(leaf)) return secretOf(leaf, name);
  const { description, unit } = expose;
  const { fieldType, least, most, options, from, to } = codecOf(expose);
  const label = unit === null || fieldType !== "NUMBER" ? labelOf(leaf) : `${labelOf(leaf)} (${unit})`;
  const item: ConfigurationItem = {
    ...plainItem,
    name,
    fieldType,
    label: { en: clipped(label) },
    help: description === null ? null : { en: clipped(description) },
    options: labelled(options),
    minValue: least,
    maxValue: most,
  };
  return { ...at, item, from, to };
}

/** A secret is a text, also when the device takes a number. What the device says of it is not shown. */
function secretOf(leaf: Leaf, name: string): ExposedSetting {
  const { expose, whole: _, ...at } = leaf;
  const label = { en: clipped(labelOf(leaf)) };
  return {
    ...at,
    item: { ...plainItem, name, fieldType: "TEXT", label, secret: true },
    from: () => undefined,
    to: (value) => (expose.type === "numeric" ? Number(value) : value),
  };
}

/** A part of a group is labelled by its key, such as the state of a child lock. */
function labelOf({ expose, path, property, endpoint }: Leaf): string {
  const own = path.length === 0 ? plainLabel(expose) : words([property, ...path].join(" "));
  return endpoint === null ? own : `${own} (${endpoint})`;
}

function plainLabel(expose: Expose): string {
  return keyOf(expose) === expose.name ? expose.label : words(keyOf(expose));
}

function labelled(values: readonly (string | number)[]): ConfigurationItem["options"] {
  const labels = values.map((value) => words(String(value)));
  const isTwice = (label: string): boolean => labels.indexOf(label) !== labels.lastIndexOf(label);
  return values.map((value) => {
    const label = words(String(value));
    return { value, label: { en: isTwice(label) ? String(value) : label } };
  });
}

/** Turns `power_on_behavior` into words. */
function words(value: string): string {
  const spaced = value.replaceAll("_", " ").trim();
  return spaced === "" ? value : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

function clipped(label: string): string {
  return label.slice(0, limits.configurationTextChars);
}
