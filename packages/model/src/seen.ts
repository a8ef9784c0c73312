import Type from "typebox";
import type { Decider } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

/** When devices were last heard of, as last recorded: device id -> ms since the epoch. One instance. */
export interface Seen {
  readonly at: Readonly<Record<string, number>>;
}

declare module "./states.ts" {
  interface States {
    seen: Seen;
  }
}

/** The id of the only instance. */
export const seenId = "devices";

export type SeenCommand = { type: "NOTE_SEEN"; at: Record<string, number> };

const DevicesSeen = telemetry(
  defineEvent("DevicesSeen", 1, {
    at: Type.Record(Type.String(), Type.Integer()),
    /** Devices that were removed. */
    gone: Type.Array(Type.String()),
  }),
  ({ at, gone }) => [...Object.keys(at), ...gone],
);

export type SeenEvent = EventOf<typeof DevicesSeen>;

/** Unchanged reports are not events; instead one event now and then records when all devices were heard of. */
export const seen: Decider<Seen, SeenCommand, SeenEvent> = {
  kind: "seen",
  commands: ["NOTE_SEEN"],
  events: [DevicesSeen],
  target: () => seenId,
  decide(command, state, world) {
    const exists = ([id]: [string, number]): boolean => world.get("device", id) !== undefined;
    const at = Object.fromEntries(Object.entries(command.at).filter(exists));
    const gone = Object.keys(state?.at ?? {}).filter((id) => world.get("device", id) === undefined);
    if (Object.keys(at).length + gone.length === 0) return [];
    return [{ type: "DevicesSeen", id: seenId, at, gone } satisfies SeenEvent];
  },
  evolve(state, { at, gone }) {
    const kept = Object.entries({ ...state?.at, ...at }).filter(([id]) => !gone.includes(id));
    return { at: Object.fromEntries(kept) };
  },
};
