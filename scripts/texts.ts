// Checks that every text in the sources exists in every language.
import type { File } from "./tidy.ts";

const languages = ["en", "fi", "sv", "de"];
const entry = /\b(?<language>en|fi|sv|de):\s*"(?<text>(?:\\.|[^"\\])*)"/g;

interface Entry {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** Returns what is wrong with the texts of a file: a missing language, an empty text, or a missing parameter. */
export function textFindings({ path, text }: File): readonly string[] {
  return textsIn(text).flatMap((entries) => {
    const [first] = entries;
    const place = `${path}:${first?.line}`;
    const missing = languages.filter((language) => !entries.some((said) => said.language === language));
    if (missing.length > 0) return [`${place}: has no ${missing.join(", ")}`];
    if (entries.length > languages.length) return [`${place}: has a language twice`];
    const wanted = parametersOf(first?.text ?? "");
    return entries.flatMap((said) => [
      ...(said.text.trim() === "" ? [`${place}: is empty in ${said.language}`] : []),
      ...(parametersOf(said.text) === wanted ? [] : [`${place}: names other parameters in ${said.language}`]),
    ]);
  });
}

/** Returns the texts in a source: entries by language, separated only by commas. */
export function textsIn(source: string): readonly (readonly Entry[])[] {
  const found: Entry[][] = [];
  let end = -1;
  for (const { index, 0: whole, groups } of source.matchAll(entry)) {
    const said = {
      language: groups?.["language"] ?? "",
      text: groups?.["text"] ?? "",
      line: source.slice(0, index).split("\n").length,
    };
    if (end >= 0 && /^[\s,]*$/.test(source.slice(end, index))) found.at(-1)?.push(said);
    else found.push([said]);
    end = index + whole.length;
  }
  return found;
}

function parametersOf(text: string): string {
  return [...new Set(text.match(/\{\w+\}/g))].toSorted().join();
}
