import type { Action, Attributes, Part } from "./behaviour.ts";
import { part } from "./behaviour.ts";

/** A detector that reports nothing until a script triggers it; then it alarms for `forMs`. */
function detector(action: Action, forMs: number, show: (isSeen: boolean) => Attributes): Part {
  return part<{ until: number; now: number }>({
    begin: () => ({ until: 0, now: 0 }),
    step: ({ until }, { house }) => ({ until, now: house.now }),
    show: ({ until, now }) => show(now < until),
    act: (state, seen, now) => (seen === action ? { until: now + forMs, now } : state),
  });
}

export const smokeDetector = detector("smoke", 60_000, (alert) => ({ alert }));
export const leakDetector = detector("leak", 600_000, (moisture) => ({ moisture }));
export const coDetector = detector("gas", 300_000, (coDetected) => ({ coDetected }));

/** A siren that sounds for three minutes at most. */
export const siren = part<{ isOn: boolean; until: number }>({
  begin: () => ({ isOn: false, until: 0 }),
  step: (state, { house }) => (state.isOn && house.now >= state.until ? { isOn: false, until: 0 } : state),
  show: ({ isOn }) => ({ isOn, sirenOn: isOn }),
  set(state, wanted, now) {
    const told = wanted["isOn"] ?? wanted["sirenOn"];
    return typeof told === "boolean" ? { isOn: told, until: told ? now + 180_000 : 0 } : state;
  },
});
