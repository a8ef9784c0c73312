import { home } from "../store/home.ts";
import type { Alarm } from "../store/wire.ts";
import { languageNow } from "../texts/texts.ts";

/** Returns the alarms that nobody has closed. */
export function openAlarms(): readonly Alarm[] {
  return home.of.alarms.list().filter(({ closed }) => !closed);
}

/** Returns a text of an alarm in the reader's language, in English where the hub has no other; empty without both. */
export function alarmText(texts: Alarm["title"]): string {
  return texts[languageNow()] ?? texts["en"] ?? "";
}
