import { happens } from "../random.ts";
import { part } from "./behaviour.ts";

/** How long a motion sensor reports motion after the last movement. */
const motionHoldMs = 60_000;
const openMs = 600_000;
const hourMs = 3_600_000;

/** A motion sensor: true while somebody moves, and for a minute after. */
export const motion = part<{ motion: boolean; until: number }>({
  begin: () => ({ motion: false, until: 0 }),
  step({ until }, { house, air }) {
    const holds = Math.max(until, air.movedAt + motionHoldMs);
    return { motion: house.now < holds, until: holds };
  },
  show: (state) => ({ motion: state.motion }),
  act: (state, action, now) => (action === "walk" ? { motion: true, until: now + motionHoldMs } : state),
});

interface OpeningState {
  readonly open: boolean;
  /** When it closes by itself (ms); `byHand` when a script holds it. */
  readonly until: number;
}

/** A script holds it open or shut. */
const byHand = Number.MAX_SAFE_INTEGER;

/** A front door: open while somebody comes or goes. */
export const door = part<OpeningState>({
  begin: () => ({ open: false, until: 0 }),
  step: (state, { house }) =>
    state.until === byHand ? state : { ...state, open: house.now < house.doorOpenUntil },
  show: ({ open }) => ({ open }),
  act: byScript,
});

/** A window that somebody in the room opens now and then, for ten minutes. */
export const window = part<OpeningState>({
  begin: () => ({ open: false, until: 0 }),
  step(state, { house, air, ms, random }) {
    if (state.until === byHand) return state;
    if (state.open) return house.now < state.until ? state : { open: false, until: 0 };
    const meanMs = (air.temperature > 23 || air.co2 > 1200 ? 2 : 12) * hourMs;
    const opens = air.people > 0 && house.hour > 7 && house.hour < 22 && happens(random, ms, meanMs);
    return opens ? { open: true, until: house.now + openMs } : state;
  },
  show: ({ open }) => ({ open }),
  act: byScript,
});

function byScript(state: OpeningState, action: string): OpeningState {
  return action === "open" || action === "close" ? { open: action === "open", until: byHand } : state;
}

/** A remote control whose keys somebody in the room presses now and then. A press shows for one step. */
export const remote = (buttons: number, meanMs: number) =>
  part<{ button: number; long: boolean }>({
    begin: () => ({ button: 0, long: false }),
    step(_state, { air, ms, random, house }) {
      const pressed = air.people > 0 && house.hour > 7 && house.hour < 23 && happens(random, ms, meanMs);
      if (!pressed) return { button: 0, long: false };
      return { button: 1 + Math.floor(random() * buttons), long: random() < 0.2 };
    },
    show: ({ button, long }) => (button === 0 ? {} : { button, modifiers: long ? ["longpress"] : [] }),
    act: (state, action) => (action === "press" ? { button: 1, long: false } : state),
  });

/** A doorbell that rings rarely, by day. */
export const bell = part<{ alert: boolean; until: number }>({
  begin: () => ({ alert: false, until: 0 }),
  step(state, { house, ms, random }) {
    if (state.alert) return house.now < state.until ? state : { alert: false, until: 0 };
    const rings = house.hour > 9 && house.hour < 20 && happens(random, ms, 12 * hourMs);
    return rings ? { alert: true, until: house.now + 5000 } : state;
  },
  show: ({ alert }) => ({ alert }),
  act: (state, action, now) => (action === "press" ? { alert: true, until: now + 5000 } : state),
});
