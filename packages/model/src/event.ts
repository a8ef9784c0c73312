import Type from "typebox";
import type { PersonalFields } from "./personal.ts";

/**
 * Who set a chain of events in motion. `resync` marks reports within the settling time after a start
 * or a radio's return: they restore what is known and are no news.
 */
export type Origin =
  | "device"
  | "resync"
  | "clock"
  | "system"
  | "console"
  | "autoconfig"
  | `user:${string}`
  | `rule:${string}`
  | `scene:${string}`;

/** Whether a person set it on, through whatever client. */
export function isOfPerson(origin: Origin): boolean {
  return origin.startsWith("user:") || origin === "console";
}

/** The id of the rule that did it; undefined where none has. */
export function ruleIn(origin: string): string | undefined {
  return origin.startsWith("rule:") ? origin.slice("rule:".length) : undefined;
}

/** The id of the user who did it; undefined where none has. */
export function userIn(origin: string): string | undefined {
  return origin.startsWith("user:") ? origin.slice("user:".length) : undefined;
}

/** Where an event stands in the log: `<commit timestamp>-<index within the commit>`. */
export type EventRef = `${number}-${number}`;

/** What led to an event: another event, or a request from outside (`request:<listener>-<id>`). */
export type Cause = EventRef | `request:${string}`;

/** Whether a request came through the relay: its id begins with the listener that took it. */
export function isRelayed(cause: string): boolean {
  return cause.startsWith("request:remote-");
}

/** Whether a request came in the local network. Logs of older releases do not say. */
export function isLocal(cause: string): boolean {
  return cause.startsWith("request:local-");
}

/** A fact as an aggregate states it: flat, named in the past tense, about one aggregate instance. */
export interface DomainEvent {
  readonly type: string;
  readonly id: string;
}

/** What the kernel adds to every event. These names are reserved: no event has fields of its own so called. */
export interface Envelope {
  readonly version: number;
  readonly origin: Origin;
  /** How many events and reactions lie between the root and this event. */
  readonly depth: number;
  readonly cause?: Cause;
  /** First link of the chain; absent on the root itself. */
  readonly root?: Cause;
}

/** The names that the envelope takes. */
export const envelopeFields: readonly (keyof Envelope)[] = ["version", "origin", "depth", "cause", "root"];

/** An event as it stands in the log. Its timestamp is its commit's, its index its place in the commit. */
export type LoggedEvent<E extends DomainEvent = DomainEvent> = E & Envelope;

/** A commit: the events that became true together. `timestamp` is in ms since the epoch and unique. */
export interface Commit {
  readonly timestamp: number;
  readonly events: readonly LoggedEvent[];
  /**
   * Where each event stood when the commit was made, rising; only on a commit that compaction has taken events
   * from. `indexIn` answers for every commit.
   */
  readonly indexes?: readonly number[];
}

/** The index of the event at a place of `events`: what references name. */
export function indexIn({ indexes }: Commit, place: number): number {
  return indexes === undefined ? place : (indexes[place] ?? place);
}

/** The event with an index; undefined when there never was one, or compaction has taken it. */
export function eventIn({ events, indexes }: Commit, index: number): LoggedEvent | undefined {
  return events[indexes === undefined ? index : indexes.indexOf(index)];
}

/** The reference of the event at `index` of the commit at `timestamp`. */
export function eventRef(timestamp: number, index: number): EventRef {
  return `${timestamp}-${index}`;
}

/** An event and its reference; where it was only tried that stands for nothing in the log. */
export interface Happened {
  readonly ref: EventRef;
  readonly event: LoggedEvent;
}

/** Takes an event's reference apart, or undefined when it is none. */
export function parseEventRef(text: string): { timestamp: number; index: number } | undefined {
  const match = /^(\d{1,16})-(\d{1,9})$/.exec(text);
  return match ? { timestamp: Number(match[1]), index: Number(match[2]) } : undefined;
}

/** One event type: its name, its version and the schema of its fields (`type` and `id` included). */
export interface EventDefinition<E extends DomainEvent = DomainEvent> {
  readonly type: E["type"];
  readonly version: number;
  readonly schema: Type.TObject;
  /** Fields that may hold keys: they leave the hub in no answer, and on disk they are sealed. */
  readonly secrets?: readonly string[];
  /** Fields about a person, whom `id` names: on disk they can be read for as long as that person is not forgotten. */
  readonly personal?: PersonalFields;
  /** Present on telemetry: an event that may go with age. Any other is kept for ever. */
  readonly telemetry?: Telemetry;
  /** Only for inference: never present at run time. */
  readonly event?: E;
}

/**
 * Which attributes of its aggregate's state an event gives a value that does not depend on the event before. It is
 * kept while it is the newest that wrote one of them; besides, the newest event of an object that exists is kept.
 * @param state before the event; undefined when there is no such object
 */
export type Telemetry = (event: DomainEvent, state: unknown) => Iterable<string>;

/** Declares an event type. A changed field means a new version and an upcaster beside it. */
export function defineEvent<const Name extends string, Fields extends Type.TProperties>(
  type: Name,
  version: number,
  fields: Fields,
  secrets?: readonly (keyof Fields & string)[],
): EventDefinition<{ type: Name; id: string } & Type.Static<Type.TObject<Fields>>> {
  const schema: Type.TObject = Type.Object({ type: Type.Literal(type), id: Type.String(), ...fields });
  return { type, version, schema, ...(secrets && { secrets }) } as EventDefinition<
    { type: Name; id: string } & Type.Static<Type.TObject<Fields>>
  >;
}

/**
 * Declares that events of a type may go with age.
 * @param writes as `Telemetry`; left out where the newest event of an object says all of it
 */
export function telemetry<E extends DomainEvent>(
  definition: EventDefinition<E>,
  writes: (event: E, state: unknown) => Iterable<string> = () => [],
): EventDefinition<E> {
  return { ...definition, telemetry: writes as Telemetry };
}

/** Declares which fields of an event are personal, and what is shown in their place once that person is forgotten. */
export function personal<E extends DomainEvent>(
  definition: EventDefinition<E>,
  fields: Readonly<Partial<Record<Exclude<keyof E, "type" | "id">, string | null>>>,
): EventDefinition<E> {
  return { ...definition, personal: fields as PersonalFields };
}

/** The event that a definition declares. */
export type EventOf<D> = D extends EventDefinition<infer E> ? E : never;

/** Reads an event of an older version as one of the next version. Pure; keyed by `<type>@<version>`. */
export type Upcasters = Readonly<Record<string, (event: LoggedEvent) => LoggedEvent>>;
