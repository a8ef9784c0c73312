import Type from "typebox";
import { accessMasks, guestRoles } from "./access.ts";
import type { AlarmFacts, AlarmKind } from "./alarm-texts.ts";
import { alarmTexts } from "./alarm-texts.ts";
import type { Decider, World } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { Id } from "./schema.ts";

const Dictionary = Type.Object({
  en: Type.String(),
  fi: Type.String(),
  sv: Type.String(),
  de: Type.String(),
});

/** USER_ALARM (hub-api 2.9), with two more fields: `kind`, the alarm's name for programs, and `count`. */
export const UserAlarm = Type.Object({
  type: Type.Literal("USER_ALARM"),
  id: Id,
  sourceId: Type.String(),
  kind: Type.String(),
  title: Dictionary,
  name: Type.String(),
  message: Dictionary,
  level: Type.Union([Type.Literal("info"), Type.Literal("warn"), Type.Literal("err")]),
  count: Type.Integer(),
  closed: Type.Boolean(),
  timestamp: Type.Integer(),
  createdAtMs: Type.Integer(),
});

/** An alarm without its texts, which follow from `kind` and `facts`. */
export interface Alarm {
  readonly id: string;
  /** The subject: an adapter's protocol, or the id of a device or the hub. */
  readonly sourceId: string;
  readonly kind: string;
  readonly name: string;
  readonly facts: AlarmFacts;
  /** It names something that guests may not see. */
  readonly hidden?: true;
  /** How often it was raised, or how many things were lost, since it was created. */
  readonly count: number;
  readonly closed: boolean;
  readonly createdAtMs: number;
  /** Since when it is open (ms); not shown. */
  readonly openedAtMs: number;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface States {
    alarm: Alarm;
  }
}

/**
 * Raises an alarm about a source. An alarm of the same kind about the same source is reopened and counted up
 * instead.
 */
export interface RaiseAlarm {
  readonly type: "RAISE_ALARM";
  readonly kind: AlarmKind;
  readonly sourceId: string;
  /** The source's name, for people. */
  readonly name: string;
  readonly facts?: AlarmFacts;
  /** Guests do not see it. */
  readonly hidden?: boolean;
  /** How much to add to the count; default: 1. */
  readonly count?: number;
}

export type AlarmCommand =
  | RaiseAlarm
  | { readonly type: "CLOSE_ALARM"; readonly id: string }
  | { readonly type: "DELETE_ALARM"; readonly id: string };

const AlarmRaised = defineEvent("AlarmRaised", 1, {
  kind: Type.String(),
  sourceId: Type.String(),
  name: Type.String(),
  facts: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  count: Type.Integer(),
  hidden: Type.Optional(Type.Boolean()),
});
const AlarmClosed = defineEvent("AlarmClosed", 1, {});
const AlarmRemoved = defineEvent("AlarmRemoved", 1, {});

export type AlarmEvent =
  | EventOf<typeof AlarmRaised>
  | EventOf<typeof AlarmClosed>
  | EventOf<typeof AlarmRemoved>;

/** Returns the id of the one alarm of a kind about a source. */
export function alarmId(kind: AlarmKind, sourceId: string): string {
  return `${kind}-${sourceId}`;
}

/** Alarms: what the hub tells its users about itself, in every language. */
export const alarm: Decider<Alarm, AlarmCommand, AlarmEvent> = {
  kind: "alarm",
  commands: ["RAISE_ALARM", "CLOSE_ALARM", "DELETE_ALARM"],
  events: [AlarmRaised, AlarmClosed, AlarmRemoved],
  delta: {
    type: "ALARM_DELTA",
    readMask: ({ hidden }) => (hidden ? accessMasks.GUEST & ~guestRoles : accessMasks.GUEST),
    render: (alarmed) => {
      const { facts, hidden: _, openedAtMs: __, ...state } = alarmed;
      const { kind, name, count } = state;
      return { type: "USER_ALARM", ...state, ...alarmTexts(kind, { ...facts, name, count }) };
    },
  },

  target: (command) =>
    command.type === "RAISE_ALARM" ? alarmId(command.kind, command.sourceId) : command.id,

  decide(command, state, world) {
    if (command.type === "RAISE_ALARM") {
      const raised = raise(command);
      return state === undefined ? [...makeRoom(world), raised] : [raised];
    }
    if (state === undefined) return reject("not-found", `no alarm ${command.id}`, "id");
    const { id, closed } = state;
    if (command.type === "DELETE_ALARM") return [{ type: "AlarmRemoved", id } satisfies AlarmEvent];
    return closed ? [] : [{ type: "AlarmClosed", id } satisfies AlarmEvent];
  },

  evolve(state, event, timestamp) {
    if (event.type === "AlarmRaised") {
      const { id, kind, sourceId, name, facts } = event;
      const count = (state?.count ?? 0) + event.count;
      const createdAtMs = state?.createdAtMs ?? timestamp;
      const openedAtMs = state?.closed === false ? state.openedAtMs : timestamp;
      const times = { createdAtMs, openedAtMs, timestamp };
      const shown = { id, sourceId, kind, name, facts, count, closed: false, ...times };
      return event.hidden ? { ...shown, hidden: true } : shown;
    }
    if (state === undefined || event.type === "AlarmRemoved") return undefined;
    return { ...state, closed: true, timestamp };
  },
};

/** Cuts long texts from libraries and devices: an alarm names a case, it does not document it. */
function raise({
  kind,
  sourceId,
  name,
  facts = {},
  count = 1,
  hidden = false,
}: RaiseAlarm): EventOf<typeof AlarmRaised> {
  const cut = Object.entries(facts).map(([key, fact]) => [
    key,
    typeof fact === "string" ? fact.slice(0, limits.alarmFactChars) : fact,
  ]);
  return {
    type: "AlarmRaised",
    id: alarmId(kind, sourceId),
    kind,
    sourceId,
    name: name.slice(0, limits.nameChars),
    facts: Object.fromEntries(cut),
    count,
    ...(hidden && { hidden }),
  };
}

/** Makes room for an alarm: removes the one that was closed first, or else the oldest. */
function makeRoom(world: World): AlarmEvent[] {
  if (world.size("alarm") < limits.alarms) return [];
  let oldest: Alarm | undefined;
  for (const [, candidate] of world.all("alarm")) {
    if (oldest === undefined || isBefore(candidate, oldest)) oldest = candidate;
  }
  return oldest === undefined ? [] : [{ type: "AlarmRemoved", id: oldest.id }];
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.closed === b.closed ? a.timestamp < b.timestamp : a.closed;
}
