const minuteMs = 60_000;

/** From a minute to a week, as far as the hub takes it (ms). */
const usual = [1, 5, 15, 30, 60, 180, 720, 1440, 10_080].map((minutes) => minutes * minuteMs);

/** Returns the silences (ms) to choose from, with that which holds. */
export function awayChoices(now: number): readonly number[] {
  return usual.includes(now) ? usual : [...usual, now].toSorted((a, b) => a - b);
}
