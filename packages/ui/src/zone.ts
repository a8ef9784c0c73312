import { computed, signal } from "@preact/signals";

/** The time zone of the home, as tz names it; undefined until the hub has told it. */
export const homeZone = signal<string | undefined>(undefined);

/** The time zone in which the page writes times: that of the home; undefined, for the browser's, while it is not known. */
export const zone = computed(() => (isKnown(homeZone.value) ? homeZone.value : undefined));

/** Whether the browser knows a zone; one that is newer than the browser it does not. */
function isKnown(name: string | undefined): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name }).format();
    return true;
  } catch {
    return false;
  }
}
