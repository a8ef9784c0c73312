const mostChars = 40;
const graphemes = new Intl.Segmenter();

/** Returns a name that somebody else chose, for a mail: `plainName` in quotation marks. */
export function shownName(name: string): string {
  return `“${plainName(name)}”`;
}

/**
 * Makes a name that somebody else chose safe to show: one line of at most 40 characters, without anything
 * that a mail program takes for a link or an address, and without characters that reverse the text.
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

/** Matches `https://…`, `mailto:…`, `a@b`, `evil.example` and `//host`, with any kind of dot. */
const isLink = /[/\\@]|:\S|[^.。․]+[.。․][^.。․]/u;
