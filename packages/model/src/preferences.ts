import Type from "typebox";
import type { Decider, Rejection, World } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, personal, telemetry } from "./event.ts";
import { limits } from "./limits.ts";

/** What clients keep for a user or for the home, such as favourites. The hub does not read it. */
export interface Preferences {
  readonly id: string;
  /** JSON; null where it was personal and is forgotten. */
  readonly values: string | null;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface States {
    /** By the id of a user. */
    preferences: Preferences;
    /** By the id of the hub. */
    homePreferences: Preferences;
  }
}

const values = { values: Type.Union([Type.String(), Type.Null()]) };
/** Nobody asks what somebody preferred before: only the newest stays in the log. */
export const PreferencesSet = telemetry(personal(defineEvent("PreferencesSet", 1, values), { values: null }));
const PreferencesRemoved = defineEvent("PreferencesRemoved", 1, {});
export type PreferencesRemoved = EventOf<typeof PreferencesRemoved>;
export const HomePreferencesSet = telemetry(defineEvent("HomePreferencesSet", 1, values));

type PreferencesEvent = EventOf<typeof PreferencesSet> | PreferencesRemoved;
type HomePreferencesEvent = EventOf<typeof HomePreferencesSet>;

/** `values`: JSON of at most `limits.preferencesBytes`. */
type SetPreferences<T extends string> = { type: T; id: string; values: string };

/** The preferences of users, one instance for each. */
export const preferences: Decider<Preferences, SetPreferences<"SET_PREFERENCES">, PreferencesEvent> = {
  kind: "preferences",
  commands: ["SET_PREFERENCES"],
  events: [PreferencesSet, PreferencesRemoved],
  personal: { values: null },
  target: ({ id }) => id,
  decide({ id, values: wanted }, state, world) {
    const of = world.get("user", id);
    if (of === undefined || of.revoked || of.forgotten) return reject("not-found", `no user ${id}`);
    if (state?.values === wanted) return [];
    return tooLong(wanted) ?? [{ type: "PreferencesSet", id, values: wanted }];
  },
  evolve: (_, event, timestamp) =>
    event.type === "PreferencesRemoved" ? undefined : { id: event.id, values: event.values, timestamp },
};

/** The preferences of the home, which all of its users share. */
export const homePreferences: Decider<
  Preferences,
  SetPreferences<"SET_HOME_PREFERENCES">,
  HomePreferencesEvent
> = {
  kind: "homePreferences",
  commands: ["SET_HOME_PREFERENCES"],
  events: [HomePreferencesSet],
  target: ({ id }) => id,
  decide({ id, values: wanted }, state, world) {
    if (world.get("hub", id) === undefined) return reject("not-found", `no hub ${id}`);
    if (state?.values === wanted) return [];
    return tooLong(wanted) ?? [{ type: "HomePreferencesSet", id, values: wanted }];
  },
  evolve: (_, { id, values: set }, timestamp) => ({ id, values: set, timestamp }),
};

/** Returns the events that remove the preferences of a user. */
export function preferencesRemoved(id: string, world: Pick<World, "get">): PreferencesRemoved[] {
  return world.get("preferences", id) === undefined ? [] : [{ type: "PreferencesRemoved", id }];
}

/** Bytes of UTF-8 are at least as many as characters: whoever takes the values in counts those. */
function tooLong(wanted: string): Rejection | undefined {
  if (wanted.length <= limits.preferencesBytes) return undefined;
  return reject("invalid", `at most ${limits.preferencesBytes} bytes of JSON`, "values");
}
