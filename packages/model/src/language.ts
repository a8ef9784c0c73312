import { unprintable } from "./unprintable.ts";

/** The languages of the hub's texts; the first is the fallback. */
export const languages = ["en", "fi", "sv", "de"] as const;
export type Language = (typeof languages)[number];

/** A text in every language, as clients get it. */
export type Texts = Readonly<Record<Language, string>>;

/**
 * Fills parameters into a text, where they are written `{name}`. Line breaks in values are replaced, so that
 * no value looks like another line.
 * @param valueOf a parameter's value; undefined leaves its place as it is
 */
export function filledIn(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replaceAll(
    /\{(\w+)\}/g,
    (whole, name: string) => valueOf(name)?.replace(unprintable, " ") ?? whole,
  );
}
