import Type from "typebox";
import type { Language } from "./language.ts";
import { limits } from "./limits.ts";
import { orNull } from "./schema.ts";

/** A text of an adapter by language; `en` is the fallback. */
const LocalText = Type.Object({
  en: Type.String({ minLength: 1, maxLength: limits.configurationTextChars }),
  fi: Type.Optional(Type.String({ maxLength: limits.configurationTextChars })),
  sv: Type.Optional(Type.String({ maxLength: limits.configurationTextChars })),
  de: Type.Optional(Type.String({ maxLength: limits.configurationTextChars })),
});
/** A text of an adapter by language. */
export type LocalText = Type.Static<typeof LocalText>;

const Text = Type.String({ maxLength: limits.configurationTextChars });
/** The value of a setting. */
export const ConfigurationValue = Type.Union([Type.Boolean(), Type.Number(), Text]);
export type ConfigurationValue = Type.Static<typeof ConfigurationValue>;
/** Values by the names of their settings. */
export type ConfigurationValues = Readonly<Record<string, ConfigurationValue>>;

/** What is shown of a secret that is set; an empty text stands for one that is not. */
export const secretShown = "set";

/** A setting as its adapter describes it; the source of a CFG_ITEM. */
export const ConfigurationItem = Type.Object({
  name: Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_.-]*$", maxLength: limits.nameChars }),
  fieldType: Type.Enum(["BOOL", "NUMBER", "TEXT", "OPTION"]),
  label: LocalText,
  help: orNull(LocalText),
  /** The value after a reset; null: a reset leaves the setting alone. */
  defaultValue: orNull(ConfigurationValue),
  /** The options of an OPTION, in display order; empty for other types. */
  options: Type.Array(Type.Object({ value: ConfigurationValue, label: LocalText }), {
    maxItems: limits.configurationOptions,
  }),
  /** The limits of a NUMBER. */
  minValue: orNull(Type.Number()),
  maxValue: orNull(Type.Number()),
  readOnly: Type.Boolean(),
  /** A TEXT that only its device may know, such as a code. It can be set and cleared, not read. */
  secret: Type.Optional(Type.Literal(true)),
});
type Item = Type.Static<typeof ConfigurationItem>;
export type ConfigurationItem = Readonly<Omit<Item, "options">> & {
  readonly options: readonly Readonly<Item["options"][number]>[];
};

/** CFG_ITEM (hub-api 2.5), with its texts in one language. */
export const CfgItem = Type.Object({
  type: Type.Literal("CFG_ITEM"),
  name: Type.String(),
  fieldType: Type.Enum(["BOOL", "NUMBER", "TEXT", "OPTION"]),
  description: Type.String(),
  help: orNull(Type.String()),
  defaultValue: orNull(ConfigurationValue),
  options: orNull(Type.Record(Type.String(), ConfigurationValue)),
  minValue: orNull(Type.Number()),
  maxValue: orNull(Type.Number()),
  readOnly: Type.Boolean(),
  secret: Type.Optional(Type.Literal(true)),
});
export type CfgItem = Type.Static<typeof CfgItem>;

/** Returns why a setting cannot have a value; undefined when it can. */
export function valueProblem(item: ConfigurationItem, value: unknown): string | undefined {
  const { fieldType, options, minValue, maxValue } = item;
  switch (fieldType) {
    case "BOOL":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "TEXT":
      if (typeof value !== "string") return "must be a text";
      return value.length <= limits.configurationTextChars
        ? undefined
        : `has more than ${limits.configurationTextChars} characters`;
    case "OPTION":
      return options.some((option) => option.value === value)
        ? undefined
        : `must be ${options.map((option) => JSON.stringify(option.value)).join(" or ")}`;
    case "NUMBER":
      if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
      if (value < (minValue ?? -Infinity)) return `must be at least ${minValue}`;
      return value > (maxValue ?? Infinity) ? `must be at most ${maxValue}` : undefined;
  }
}

/** Returns the first contradiction in a list of well-formed settings; undefined when there is none. */
export function itemsProblem(items: readonly ConfigurationItem[]): string | undefined {
  const names = new Set<string>();
  for (const item of items) {
    const { name, fieldType, options, defaultValue, minValue, maxValue } = item;
    if (names.has(name)) return `${name} is there twice`;
    names.add(name);
    if ((fieldType === "OPTION") !== options.length > 0)
      return `${name}: an OPTION has options, and nothing else`;
    if (item.secret && fieldType !== "TEXT") return `${name}: a secret is a TEXT`;
    const labels = new Set(options.map(({ label }) => label.en));
    if (labels.size < options.length) return `${name}: two options have one label`;
    if ((minValue ?? -Infinity) > (maxValue ?? Infinity)) return `${name}: its minimum is above its maximum`;
    const problem = defaultValue === null ? undefined : valueProblem(item, defaultValue);
    if (problem !== undefined) return `${name}: its default ${problem}`;
  }
  return undefined;
}

/** Returns a setting as the API shows it. */
export function cfgItem(item: ConfigurationItem, language: Language): CfgItem {
  const { name, fieldType, label, help, defaultValue, options, minValue, maxValue, readOnly } = item;
  return {
    type: "CFG_ITEM",
    name,
    fieldType,
    description: textIn(label, language),
    help: help && textIn(help, language),
    defaultValue,
    options: fieldType === "OPTION" ? labelled(options, language) : null,
    minValue,
    maxValue,
    readOnly,
    ...(item.secret && { secret: item.secret }),
  };
}

/**
 * Returns the options' values by label. Where a translation gives two options the same label, both keep their
 * English one.
 */
function labelled(options: ConfigurationItem["options"], language: Language): CfgItem["options"] {
  const labels = options.map(({ label }) => textIn(label, language));
  const isTwice = (label: string): boolean => labels.indexOf(label) !== labels.lastIndexOf(label);
  return Object.fromEntries(
    options.map(({ value, label }, index) => {
      const shown = labels[index] ?? label.en;
      return [isTwice(shown) ? label.en : shown, value];
    }),
  );
}

function textIn(text: LocalText, language: Language): string {
  return text[language] ?? text.en;
}
