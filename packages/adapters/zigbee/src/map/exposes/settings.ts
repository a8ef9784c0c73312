import type { ConfigurationItem } from "@ledge/model";
import { limits } from "@ledge/model";
import { plainItem } from "../setting.ts";
import type { Expose } from "./expose.ts";
import { keyOf } from "./expose.ts";

/** A setting and the property that holds it. */
export interface ExposedSetting {
  readonly property: string;
  readonly key: string;
  readonly endpoint: string | null;
  readonly item: ConfigurationItem;
  /** Converts the property's value; undefined when it is not a value of the setting. */
  readonly from: (value: unknown) => boolean | number | string | undefined;
  readonly to: (value: boolean | number | string) => unknown;
}

/** Returns the settings among exposes without an attribute: those that can be both set and read. */
export function settingsOf(rest: readonly Expose[]): readonly ExposedSetting[] {
  const names = new Set<string>();
  return rest
    .flatMap((expose) => {
      const setting = expose.isSaid && expose.isSettable ? settingOf(expose) : undefined;
      if (setting === undefined || names.has(setting.item.name)) return [];
      names.add(setting.item.name);
      return [setting];
    })
    .slice(0, limits.configurationItems);
}

function settingOf(expose: Expose): ExposedSetting | undefined {
  const { property, endpoint, description, type } = expose;
  // A part of a group is labelled by its key, such as the state of a child lock.
  const label = keyOf(expose) === expose.name ? expose.label : words(keyOf(expose));
  const name = property.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  if (!/^[A-Za-z]/.test(name) || name.length > limits.nameChars) return undefined;
  const item: ConfigurationItem = {
    ...plainItem,
    name,
    fieldType: "TEXT",
    label: { en: clipped(endpoint === null ? label : `${label} (${endpoint})`) },
    help: description === null ? null : { en: clipped(description) },
  };
  const at = { property, endpoint, key: keyOf(expose) };
  if (type === "binary") return { ...at, ...binary(expose, item) };
  if (type === "numeric") return { ...at, ...numeric(expose, item) };
  const codec = type === "enum" ? enumerated(expose, item) : undefined;
  return codec && { ...at, ...codec };
}

type Codec = Pick<ExposedSetting, "item" | "from" | "to">;

function binary({ on, off }: Expose, item: ConfigurationItem): Codec {
  return {
    item: { ...item, fieldType: "BOOL" },
    from: (value) => (value === on ? true : value === off ? false : undefined),
    to: (value) => (value === true ? on : off),
  };
}

function numeric({ least, most, unit }: Expose, item: ConfigurationItem): Codec {
  const [minValue, maxValue] = least !== null && most !== null && least > most ? [null, null] : [least, most];
  const shown = unit === null ? item.label : { en: clipped(`${item.label.en} (${unit})`) };
  return {
    item: { ...item, fieldType: "NUMBER", label: shown, minValue, maxValue },
    from: (value) =>
      typeof value === "number" && value >= (minValue ?? -Infinity) && value <= (maxValue ?? Infinity)
        ? value
        : undefined,
    to: (value) => value,
  };
}

function enumerated({ values }: Expose, item: ConfigurationItem): Codec | undefined {
  const options = [...new Set(values)]
    .filter((value) => String(value) !== "" && String(value).length <= limits.configurationTextChars)
    .slice(0, limits.configurationOptions)
    .map((value) => ({ value, label: { en: words(String(value)) } }));
  if (options.length === 0) return undefined;
  const labels = options.map(({ label }) => label.en);
  const isTwice = (label: string): boolean => labels.indexOf(label) !== labels.lastIndexOf(label);
  return {
    item: {
      ...item,
      fieldType: "OPTION",
      options: options.map(({ value, label }) =>
        isTwice(label.en) ? { value, label: { en: String(value) } } : { value, label },
      ),
    },
    from: (value) => options.find((option) => option.value === value)?.value,
    to: (value) => value,
  };
}

/** Turns `power_on_behavior` into words. */
function words(value: string): string {
  const spaced = value.replaceAll("_", " ").trim();
  return spaced === "" ? value : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

function clipped(label: string): string {
  return label.slice(0, limits.configurationTextChars);
}
