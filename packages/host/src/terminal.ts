import { unprintable } from "@ledge/model";

/** One line for a terminal: what others wrote in it neither commands the terminal nor looks like another line. */
export function terminalLine(text: string): string {
  return text.toWellFormed().replaceAll(unprintable, "�");
}

/** JSON for a terminal or a log: the same values, with nothing in it that would command a terminal. */
export function terminalJson(json: string): string {
  return json
    .toWellFormed()
    .replaceAll(unprintable, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
