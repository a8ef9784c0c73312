/** Languages that the hub has texts in; the first is the one to fall back on. */
export const languages = ["en", "fi", "sv", "de"] as const;
export type Language = (typeof languages)[number];

/** A text in every language, as it goes over the wire. */
export type Texts = Readonly<Record<Language, string>>;
