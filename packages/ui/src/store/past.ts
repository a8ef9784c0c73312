// The whole page as it was: the store holds the home of then, and nothing is changed by chance.
import { batch } from "@preact/signals";
import { readOnly } from "../api/call.ts";
import { t } from "../texts/texts.ts";
import { now, pastTime } from "./clock.ts";
import { home, hubTime, sync } from "./home.ts";
import { createStore } from "./store.ts";
import type { Section } from "./wire.ts";

/** The home as it is, kept while the page shows another time. */
const present = createStore();

/** Shows the home of a time (ms) from now on; what it was is told by `drawThen`. */
export function leaveNow(at: number): void {
  batch(() => {
    if (pastTime.peek() === null) {
      present.apply(home.snapshot());
      sync.leaveNow();
      readOnly.value = t("past.readOnly");
    }
    pastTime.value = at;
    now.value = at;
  });
}

/** Draws part of the home of then. @param full what its categories do not name was not there */
export function drawThen(section: Section, full: boolean): void {
  if (pastTime.peek() === null) return;
  home.apply({ timestamp: home.asOf.peek(), full, polls: [section] });
}

/** Shows the home as it is, and follows it. */
export function backToNow(): void {
  batch(() => {
    pastTime.value = null;
    readOnly.value = "";
    now.value = hubTime();
    home.apply(present.snapshot());
  });
  sync.start();
}
