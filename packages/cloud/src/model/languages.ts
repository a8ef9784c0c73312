/** The languages of pages and mails, by their tags; the first is the fallback. */
export const languages = ["en", "fi", "sv", "de"] as const;
export type Language = (typeof languages)[number];

/**
 * Returns the first language that is wished for and known.
 * @param wishes lists of languages, the most important first: a tag, `ui_locales` of OpenID Connect, which has spaces,
 * or `Accept-Language` (RFC 9110 12.5.4)
 */
export function languageIn(...wishes: readonly (string | null | undefined)[]): Language | undefined {
  for (const wish of wishes) {
    const ranked = (wish ?? "")
      .slice(0, 500)
      .replaceAll(/\s*;\s*/g, ";")
      .split(/[\s,]+/)
      .map((each) => each.split(/;q=/i))
      .map(([tag = "", weight = "1"]) => ({ tag: tag.toLowerCase(), weight: Number(weight) }))
      .filter(({ weight }) => weight > 0)
      .toSorted((one, other) => other.weight - one.weight);
    for (const { tag } of ranked) {
      const found = languages.find((language) => tag === language || tag.startsWith(`${language}-`));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Like `languageIn`; the fallback when none is known. */
export function languageOf(...wishes: readonly (string | null | undefined)[]): Language {
  return languageIn(...wishes) ?? languages[0];
}
