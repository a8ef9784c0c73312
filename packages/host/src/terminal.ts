import { unprintable } from "@ledge/model";

/** Returns text as one line for a terminal: it cannot control the terminal or look like another line. */
export function terminalLine(text: string): string {
  return text.toWellFormed().replaceAll(unprintable, "�");
}

/** Returns JSON for a terminal or a log: the same values, without anything that controls a terminal. */
export function terminalJson(json: string): string {
  return json
    .toWellFormed()
    .replaceAll(unprintable, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
