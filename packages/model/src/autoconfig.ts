import Type from "typebox";
import type { Decider, Reader, Rejection, World } from "./decider.ts";
import { idsOf, reject } from "./decider.ts";
import type { DomainEvent, EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import type { RoomEvent } from "./room.ts";
import { orNull } from "./schema.ts";
import type { States } from "./states.ts";

/** The kinds of objects that an autoconfiguration changes, and the fields that it may change. */
const configured = {
  hub: ["name"],
  room: ["name", "order"],
  group: ["name", "room"],
  device: ["name", "room", "zones", "visible", "hotWater", "rwx"],
  scene: ["name", "presets", "requiredIds", "sceneTimes", "isOn"],
  rule: ["config", "scenes", "timers"],
} as const satisfies { readonly [K in keyof States]?: readonly (keyof States[K])[] };
/** A kind of object that an autoconfiguration changes. */
export type ConfiguredKind = keyof typeof configured;
type Fields = Readonly<Record<string, unknown>>;

/** Returns whether an autoconfiguration can change objects of a kind. */
export function isConfiguredKind(kind: string): kind is ConfiguredKind {
  return Object.hasOwn(configured, kind);
}

/** Fields that change in daily use, and so do not count as a later change by somebody. */
const passing: ReadonlySet<string> = new Set(["isOn"]);

/** Returns the fields of an object that an autoconfiguration may change; null when there is no object. */
export function configurationOf(kind: ConfiguredKind, id: string, read: Pick<Reader, "get">): Fields | null {
  const state = read.get(kind, id) as Fields | undefined;
  if (state === undefined) return null;
  const fields = configured[kind].filter((field) => state[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, state[field]]));
}

/** An object that an autoconfiguration changed, before and after; null where it did not exist. */
export interface ConfiguredChange {
  readonly kind: ConfiguredKind;
  readonly id: string;
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** One run of an autoconfiguration. Each object is in `changes` once. */
export interface AutoConfig {
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  readonly changes: readonly ConfiguredChange[];
  /** Why it stopped early; null when it did not. */
  readonly problem: string | null;
  readonly state: "running" | "done" | "stopped" | "undone";
}

declare module "./states.ts" {
  interface States {
    autoconfig: AutoConfig;
  }
}

/** What the step before it in the same submission may have changed. */
interface StepNote {
  type: "NOTE_AUTO_CONFIG_STEP";
  id: string;
  object: string;
  name: string;
  changed: readonly Pick<ConfiguredChange, "kind" | "id">[];
  /** The kinds of objects that it may have made. */
  creates: readonly ConfiguredKind[];
  /** A device that it paired before, in submissions of an adapter. */
  paired: string | null;
}

export type AutoConfigCommand =
  | { type: "START_AUTO_CONFIG"; name: string }
  | StepNote
  | { type: "END_AUTO_CONFIG"; id: string; problem: string | null }
  | { type: "UNDO_AUTO_CONFIG"; id: string };

const Kind = Type.Enum(Object.keys(configured) as ConfiguredKind[]);
const LoggedFields = orNull(Type.Record(Type.String(), Type.Unknown()));
const AutoConfigStarted = defineEvent("AutoConfigStarted", 1, { name: Type.String() });
const AutoConfigStepDone = defineEvent("AutoConfigStepDone", 1, {
  object: Type.String(),
  name: Type.String(),
  changes: Type.Array(
    Type.Object({ kind: Kind, id: Type.String(), before: LoggedFields, after: LoggedFields }),
  ),
});
const AutoConfigEnded = defineEvent("AutoConfigEnded", 1, {
  problem: orNull(Type.String()),
});
const AutoConfigUndone = defineEvent("AutoConfigUndone", 1, {});
/** The run is too old to be undone. */
const AutoConfigForgotten = defineEvent("AutoConfigForgotten", 1, {});

export type AutoConfigEvent =
  | EventOf<typeof AutoConfigStarted>
  | EventOf<typeof AutoConfigStepDone>
  | EventOf<typeof AutoConfigEnded>
  | EventOf<typeof AutoConfigUndone>
  | EventOf<typeof AutoConfigForgotten>;

/** The latest runs of autoconfigurations, with what is needed to undo them. */
export const autoconfig: Decider<AutoConfig, AutoConfigCommand, AutoConfigEvent> = {
  kind: "autoconfig",
  commands: ["START_AUTO_CONFIG", "NOTE_AUTO_CONFIG_STEP", "END_AUTO_CONFIG", "UNDO_AUTO_CONFIG"],
  events: [AutoConfigStarted, AutoConfigStepDone, AutoConfigEnded, AutoConfigUndone, AutoConfigForgotten],

  target: (command) => (command.type === "START_AUTO_CONFIG" ? undefined : command.id),

  decide(command, state, world) {
    if (command.type === "START_AUTO_CONFIG") return start(command.name, world);
    if (state === undefined) return reject("not-found", `no autoconfiguration ${command.id}`, "id");
    const { id } = state;
    switch (command.type) {
      case "NOTE_AUTO_CONFIG_STEP":
        return noteStep(command, world);
      case "END_AUTO_CONFIG":
        return state.state === "running"
          ? [{ type: "AutoConfigEnded", id, problem: command.problem } satisfies AutoConfigEvent]
          : [];
      case "UNDO_AUTO_CONFIG":
        return undo(state, world);
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "AutoConfigStarted") {
      const { id, name } = event;
      return { id, name, startedAt: timestamp, changes: [], problem: null, state: "running" };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "AutoConfigStepDone":
        return { ...state, changes: merged(state.changes, event.changes) };
      case "AutoConfigEnded":
        return { ...state, problem: event.problem, state: event.problem === null ? "done" : "stopped" };
      case "AutoConfigUndone":
        return { ...state, changes: [], state: "undone" };
      case "AutoConfigForgotten":
        return undefined;
    }
  },
};

/** Runs that the end of the process cut off are over; they can still be undone. */
function start(name: string, world: World): DomainEvent[] {
  const runs = [...world.all("autoconfig")].map(([, run]) => run);
  const oldest = runs.toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
  const beyond = oldest.slice(0, Math.max(0, oldest.length + 1 - limits.autoConfigRuns));
  const cutOff = "the hub was stopped meanwhile";
  const started: AutoConfigEvent = { type: "AutoConfigStarted", id: world.newId(), name };
  return [
    started,
    ...beyond.map(({ id }): AutoConfigEvent => ({ type: "AutoConfigForgotten", id })),
    ...oldest
      .slice(beyond.length)
      .filter(({ state }) => state === "running")
      .map(({ id }): AutoConfigEvent => ({ type: "AutoConfigEnded", id, problem: cutOff })),
  ];
}

/**
 * Notes what the commands before it in the same submission have changed. It compares with the state before
 * them, so that it does not undo what others changed meanwhile.
 */
function noteStep({ id, object, name, changed, creates, paired }: StepNote, world: World): AutoConfigEvent[] {
  const made = creates.flatMap((kind) =>
    idsOf(kind, world)
      .filter((each) => world.before.get(kind, each) === undefined)
      .map((each) => ({ kind, id: each })),
  );
  const changes = [
    ...[...changed, ...made].map((each) => changeOf(each, world.before, world)),
    ...(paired === null ? [] : [changeOf({ kind: "device", id: paired }, nothing, world)]),
  ].filter(({ before, after }) => !isSame(before, after));
  return changes.length === 0 ? [] : [{ type: "AutoConfigStepDone", id, object, name, changes }];
}

const nothing: Pick<Reader, "get"> = { get: () => undefined };

function changeOf(
  { kind, id }: Pick<ConfiguredChange, "kind" | "id">,
  before: Pick<Reader, "get">,
  after: Pick<Reader, "get">,
): ConfiguredChange {
  const [was, is] = [before, after].map((read) => configurationOf(kind, id, read));
  return { kind, id, before: was ?? null, after: is ?? null };
}

const keyOf = ({ kind, id }: Pick<ConfiguredChange, "kind" | "id">): string => `${kind} ${id}`;

/** Returns each object as it was before the first change and is after the last. */
function merged(
  changes: readonly ConfiguredChange[],
  further: readonly ConfiguredChange[],
): readonly ConfiguredChange[] {
  const all = new Map(changes.map((change) => [keyOf(change), change]));
  for (const change of further) {
    const { before } = all.get(keyOf(change)) ?? change;
    all.set(keyOf(change), { ...change, before });
  }
  return [...all.values()].filter(({ before, after }) => !isSame(before, after));
}

/** Returns whether two objects are equal. Their fields are always in the same order. */
function isSame(one: Fields | null, other: Fields | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Undoes a run. Refuses if one of its objects has since changed or gone, or was removed and cannot be
 * restored by the hub alone. Restores removed rooms.
 */
function undo({ id, name, changes, state }: AutoConfig, world: World): DomainEvent[] | Rejection {
  if (state === "undone") return reject("wrong-state", `${name} is undone already`, "id");
  for (const change of changes) {
    const { kind, after } = change;
    const { name: called = change.id } = (change.after ?? change.before ?? {}) as { name?: string };
    const shown = `${kind} ${called}`;
    const lasting = (fields: Fields | null): Fields | null =>
      fields && Object.fromEntries(Object.entries(fields).filter(([field]) => !passing.has(field)));
    if (!isSame(lasting(after), lasting(configurationOf(kind, change.id, world))))
      return reject("wrong-state", `${shown} has changed since`, "id");
    if (after === null && kind !== "room")
      return reject("wrong-state", `${shown} was removed, which cannot be undone: pair it again`, "id");
  }
  const rooms = changes.flatMap(({ kind, id: room, before, after }): RoomEvent[] => {
    if (kind !== "room" || before === null || after !== null) return [];
    return [{ type: "RoomCreated", id: room, name: String(before["name"]), order: Number(before["order"]) }];
  });
  return [{ type: "AutoConfigUndone", id } satisfies AutoConfigEvent, ...rooms];
}
