import { unprintable } from "./unprintable.ts";

/** Languages that the hub has texts in; the first is the one to fall back on. */
export const languages = ["en", "fi", "sv", "de"] as const;
export type Language = (typeof languages)[number];

/** A text in every language, as it goes over the wire. */
export type Texts = Readonly<Record<Language, string>>;

/**
 * A text with its parameters, which stand in it as `{name}`. No value of them looks like another line.
 * @param valueOf a parameter's value; undefined leaves the text as it is.
 */
export function filledIn(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replaceAll(
    /\{(\w+)\}/g,
    (whole, name: string) => valueOf(name)?.replace(unprintable, " ") ?? whole,
  );
}
