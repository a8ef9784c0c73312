import { signal } from "@preact/signals";

const readings = 8;

/** Follows the hub's clock by the timestamps of its answers. */
export interface HubClock {
  /** Takes note of an answer that told something new. @param hub its timestamp (ms) @param own our clock then (ms) */
  note(hub: number, own: number): void;
  /** Returns the hub's time (ms) at a time of our clock (ms). */
  at(own: number): number;
}

/** News reach us late, never early, so the least of the last differences is the nearest to the truth. */
export function createHubClock(): HubClock {
  const differences: number[] = [];
  return {
    note(hub, own) {
      differences.push(own - hub);
      if (differences.length > readings) differences.shift();
    },
    at: (own) => own - (differences.length === 0 ? 0 : Math.min(...differences)),
  };
}

/** The hub's time, which moves on every 10 s: "2 min ago" is never more exact than that. */
export const now = signal(0);

/** The time (ms of the hub) that the page shows in place of now; null: it shows the home as it is. */
export const pastTime = signal<number | null>(null);
