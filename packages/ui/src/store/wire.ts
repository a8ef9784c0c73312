import type { Device, Group, HubUser, Room, RuleConfig, SceneState, StoredRange, Zone } from "@ledge/model";

export type { Device, HubUser, Room };

/** HUB_META_DATA (hub-api 2.1), as far as the interface reads it. */
export interface HubInfo {
  readonly hubId: string;
  readonly name: string;
  /** Four components; the first two are the prefix of the API. */
  readonly version: string;
  readonly state: "factory_new" | "claimed";
}

/** USER_ALARM (hub-api 2.9), as far as the interface reads it; texts by language. */
export interface Alarm {
  readonly id: string;
  readonly sourceId: string;
  readonly kind: string;
  readonly title: Readonly<Record<string, string>>;
  readonly name: string;
  readonly message: Readonly<Record<string, string>>;
  readonly level: "info" | "warn" | "err";
  readonly count: number;
  readonly closed: boolean;
  readonly timestamp: number;
  readonly createdAtMs: number;
}

/** USER_ALERT (hub-api 2.2), as far as the interface reads it. */
export interface Alert {
  readonly id: string;
  readonly sourceId: string;
  /** In the language of the page. */
  readonly message: string;
  readonly error: boolean;
  /** When it was raised (ms since the epoch). */
  readonly realtime_ms: number;
}

/** RULE (hub-api 2.8), as far as the interface reads it. */
export interface Rule {
  readonly id: string;
  readonly is_on: boolean;
  /** The scenes that turn it on and off, and whether each is on. */
  readonly scenes: Readonly<Record<string, boolean>>;
  /** The times that do; a rule with scenes has none. */
  readonly timers: readonly StoredRange[];
  readonly config: RuleConfig;
}

/** An object that no screen reads yet. */
interface Identified {
  readonly id: string;
}

/** The objects of a poll by category, as the hub serves them. */
export interface Objects {
  readonly devices: Device;
  readonly groups: Group;
  readonly scenes: SceneState;
  readonly rules: Rule;
  readonly users: HubUser;
  readonly alerts: Alert;
  readonly rooms: Room;
  readonly zones: Zone;
  readonly alarms: Alarm;
  readonly activators: Identified;
}
export type Category = keyof Objects;

/** In the order of hub-api 2.2. */
export const categories: readonly Category[] = [
  "devices",
  "groups",
  "scenes",
  "rules",
  "users",
  "alerts",
  "rooms",
  "zones",
  "alarms",
  "activators",
];

/** One category of an answer: objects by id, null for one that has gone. */
export type Section = {
  readonly [C in Category]?: Readonly<Record<string, Objects[C] | null>>;
};

/** POLL_DELTA (hub-api 2.2). */
export interface PollAnswer {
  /** ms since the epoch; the cursor of the next poll. */
  readonly timestamp: number;
  /** It holds everything, so that what it does not name has gone. */
  readonly full: boolean;
  readonly polls: readonly Section[];
}
