import { type Language, languages, limits } from "@ledge/model";

/** Headers seen, of which clients send the same few again and again. */
const seen = new Map<string, Language | null>();

/** The language for an `Accept-Language` header: the best weighted one that the hub has, else `en`. */
export function languageFor(header: string | undefined): Language {
  return languageAsked(header) ?? "en";
}

/** The language that an `Accept-Language` header asks for; null when it names none that the hub has, or any. */
export function languageAsked(header: string | undefined): Language | null {
  if (header === undefined) return null;
  const known = seen.get(header);
  if (known !== undefined) return known;
  const language = negotiate(header);
  if (header.length <= 256) {
    if (seen.size >= limits.languageCacheEntries) seen.clear();
    seen.set(header, language);
  }
  return language;
}

function negotiate(header: string): Language | null {
  let best: Language | null = null;
  let bestWeight = 0;
  for (const range of header.split(",", 32)) {
    const [tag = "", ...parameters] = range.trim().toLowerCase().split(";");
    const primary = tag.trim().split("-")[0];
    const language = primary === "*" ? null : languages.find((known) => known === primary);
    if (language === undefined) continue;
    const weight = weightOf(parameters);
    if (weight > bestWeight) [best, bestWeight] = [language, weight];
  }
  return best;
}

function weightOf(parameters: readonly string[]): number {
  const text = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith("q="));
  if (text === undefined) return 1;
  const weight = Number(text.slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}
