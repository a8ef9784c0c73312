import { type Language, languages } from "./language.ts";

/** One text in every language. `{name}` stands for a parameter of that name. */
type Text = Readonly<Record<Language, string>>;

/** Every text that the hub itself says, by id. */
const texts = {
  "housetype.block": { en: "Apartment", fi: "Kerrostalo", sv: "Flerfamiljshus", de: "Wohnung" },
  "housetype.row": { en: "Row house", fi: "Rivitalo", sv: "Radhus", de: "Reihenhaus" },
  "housetype.pair": { en: "Semi-detached house", fi: "Paritalo", sv: "Parhus", de: "Doppelhaus" },
  "housetype.house": { en: "House", fi: "Omakotitalo", sv: "Villa", de: "Einfamilienhaus" },
  "housetype.leisure": { en: "Holiday home", fi: "Vapaa-ajan asunto", sv: "Fritidshus", de: "Ferienhaus" },
  "housetype.industrial": { en: "Industrial", fi: "Teollisuuskiinteistö", sv: "Industri", de: "Gewerbe" },
  "housetype.other": { en: "Other", fi: "Muu", sv: "Annan", de: "Sonstiges" },
  SCENE_INCOMPLETE: {
    en: "Scene {name}: a device did not follow",
    fi: "Tilanne {name}: laite ei totellut",
    sv: "Scen {name}: en enhet svarade inte",
    de: "Szene {name}: ein Gerät ist nicht gefolgt",
  },
} as const satisfies Readonly<Record<string, Text>>;

export type TextId = keyof typeof texts;

/** Whether the hub has such a text. */
export function isText(id: string): id is TextId {
  return Object.hasOwn(texts, id);
}

/**
 * A text in a language, in English where the hub does not know that; the id itself where a log of another
 * release names a text that this one does not have.
 */
export function textOf(
  id: string,
  language: string,
  parameters: Readonly<Record<string, string>> = {},
): string {
  if (!isText(id)) return id;
  const text = texts[id][languages.find((known) => known === language) ?? "en"];
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(parameters, name) ? (parameters[name] ?? whole) : whole,
  );
}
