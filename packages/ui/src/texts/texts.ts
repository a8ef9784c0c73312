import { signal } from "@preact/signals";
import { en, type Key, type Texts } from "./en.ts";

export type { Key };

/** The languages of the interface, in their own words. */
export const languages = { en: "English", fi: "Suomi", sv: "Svenska", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const others: Readonly<Record<Exclude<Language, "en">, () => Promise<Texts>>> = {
  fi: async () => (await import("./fi.ts")).fi,
  sv: async () => (await import("./sv.ts")).sv,
  de: async () => (await import("./de.ts")).de,
};

/** The language of the page, and its texts. */
const shown = signal<{ readonly language: Language; readonly texts: Texts }>({ language: "en", texts: en });

export function languageNow(): Language {
  return shown.value.language;
}

/** Changes the language of the page. */
export async function speak(language: Language): Promise<void> {
  const texts = language === "en" ? en : await others[language]();
  shown.value = { language, texts };
}

/** Returns the best language for somebody who reads these, such as `fi-FI`; English without any. */
export function bestOf(read: readonly string[]): Language {
  return read.map((tag) => tag.toLowerCase().split("-")[0]).find(isLanguage) ?? "en";
}

export function isLanguage(text: unknown): text is Language {
  return typeof text === "string" && Object.hasOwn(languages, text);
}

/**
 * Returns a text in the language of the page.
 * @param values for the words in braces; `n` chooses between one and many
 */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  const { language, texts } = shown.value;
  const text = texts[key];
  const chosen = typeof text === "string" ? text : text[pluralOf(language, Number(values["n"]))];
  return chosen.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

const rules = new Map<Language, Intl.PluralRules>();

function pluralOf(language: Language, n: number): "one" | "other" {
  let rule = rules.get(language);
  if (rule === undefined) rules.set(language, (rule = new Intl.PluralRules(language)));
  return rule.select(n) === "one" ? "one" : "other";
}

/** Whether there is a text, such as that of an attribute. */
export function isKey(key: string): key is Key {
  return Object.hasOwn(en, key);
}
