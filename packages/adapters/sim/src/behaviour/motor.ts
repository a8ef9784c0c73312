import { clamp, rounded } from "../house.ts";
import { part } from "./behaviour.ts";

interface MotorState {
  readonly at: number;
  readonly goal: number;
}

function towards({ at, goal }: MotorState, share: number): MotorState {
  return { at: Math.abs(goal - at) <= share ? goal : at + Math.sign(goal - at) * share, goal };
}

/** A blind that takes `travelMs` from shut (0) to open (1). */
export const blind = (travelMs: number) =>
  part<MotorState>({
    begin: () => ({ at: 1, goal: 1 }),
    step: (state, { ms }) => towards(state, ms / travelMs),
    show: ({ at, goal }) => {
      // A commanded value reads back exactly; a moving blind reports whole percents.
      const position = at === goal ? at : rounded(at, 0.01);
      return { position, liftPct: rounded(position * 100, 1e-6) };
    },
    set(state, wanted) {
      const { position, liftPct } = wanted;
      if (typeof position === "number") return { ...state, goal: clamp(position, 0, 1) };
      return typeof liftPct === "number" ? { ...state, goal: clamp(liftPct / 100, 0, 1) } : state;
    },
  });

/** The slats of a blind. */
export const tilt = part<{ tiltPct: number }>({
  begin: () => ({ tiltPct: 50 }),
  show: (state) => state,
  set: (state, wanted) => (typeof wanted["tiltPct"] === "number" ? { tiltPct: wanted["tiltPct"] } : state),
});

/** A motor valve that takes ten seconds to open; switching it off shuts it. */
export const valve = part<MotorState>({
  begin: () => ({ at: 100, goal: 100 }),
  step: (state, { ms }) => towards(state, ms / 100),
  show: ({ at, goal }) => ({ openPct: at === goal ? at : Math.round(at), isOn: goal > 0 }),
  set(state, wanted) {
    if (typeof wanted["openPct"] === "number") return { ...state, goal: wanted["openPct"] };
    return typeof wanted["isOn"] === "boolean" ? { ...state, goal: wanted["isOn"] ? 100 : 0 } : state;
  },
});
