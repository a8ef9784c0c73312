const mostChars = 40;
const graphemes = new Intl.Segmenter();

/** A name that somebody else has chosen, as a mail may say it: `plainName` in quotation marks. */
export function shownName(name: string): string {
  return `“${plainName(name)}”`;
}

/**
 * A name that somebody else has chosen, as it may be shown: one line of at most 40 characters, with nothing that a mail
 * program takes for a link or an address, and no character that turns the text around.
 */
export function plainName(name: string): string {
  const words = name
    .normalize("NFKC")
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, " ")
    .split(" ")
    .filter((word) => word !== "" && !isLink.test(word));
  const whole = words.join(" ").replaceAll(/["“”„]/g, "");
  const characters = Array.from(graphemes.segment(whole), ({ segment }) => segment);
  return characters.slice(0, mostChars).join("").trim();
}

/** `https://…`, `mailto:…`, `a@b`, `evil.example`, `//host`, however dots are written. */
const isLink = /[/\\@]|:\S|[^.。․]+[.。․][^.。․]/u;
