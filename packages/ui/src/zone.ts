import { signal } from "@preact/signals";

/** The time zone in which the page writes times: that of the home. Undefined until the hub has told it: the browser's. */
export const zone = signal<string | undefined>(undefined);

/** Writes times in a zone from now on, unless the browser does not know it. @param name as in tz; undefined: its own */
export function writeTimesIn(name: string | undefined): void {
  try {
    // Throws for a zone that is not known, such as one that is newer than the browser.
    if (name !== undefined) new Intl.DateTimeFormat("en", { timeZone: name }).format();
    zone.value = name;
  } catch {
    zone.value = undefined;
  }
}
