import Type from "typebox";
import type { PersonalFields } from "./personal.ts";

/**
 * Who started a chain of events. `resync` marks reports while the hub settles after a start or a radio's
 * return: they restore what is known and count as no change.
 */
export type Origin =
  | "device"
  | "resync"
  | "clock"
  | "system"
  | "console"
  | "autoconfig"
  | `user:${string}`
  | `modbus:${string}`
  | `bacnet:${string}`
  | `mqtt:${string}`
  | `rule:${string}`
  | `scene:${string}`;

/** Returns whether a person started it, through any client. */
export function isOfPerson(origin: Origin): boolean {
  return origin.startsWith("user:") || origin === "console";
}

const buses = ["bacnet:", "modbus:", "mqtt:"] as const;

/** Returns whether a client of a building bus or a broker started it, through a server of the hub. */
export function isOfBus(origin: string): boolean {
  return buses.some((bus) => origin.startsWith(bus));
}

/** Returns the id of the rule in an origin; undefined for other origins. */
export function ruleIn(origin: string): string | undefined {
  return origin.startsWith("rule:") ? origin.slice("rule:".length) : undefined;
}

/** Returns the id of the user in an origin; undefined for other origins. */
export function userIn(origin: string): string | undefined {
  return origin.startsWith("user:") ? origin.slice("user:".length) : undefined;
}

/** The place of an event in the log: `<commit timestamp>-<index within the commit>`. */
export type EventRef = `${number}-${number}`;

/** The cause of an event: another event, or a request from outside (`request:<listener>-<id>`). */
export type Cause = EventRef | `request:${string}`;

/** Returns whether a request came through the relay; its id begins with its listener. */
export function isRelayed(cause: string): boolean {
  return cause.startsWith("request:remote-");
}

/** Returns whether a request came from the local network. Logs of older releases do not say. */
export function isLocal(cause: string): boolean {
  return cause.startsWith("request:local-");
}

/** A fact as an aggregate states it: flat, in the past tense, about one instance. */
export interface DomainEvent {
  readonly type: string;
  readonly id: string;
}

/** What the kernel adds to every event. These names are reserved: no event has fields with them. */
export interface Envelope {
  readonly version: number;
  readonly origin: Origin;
  /** The number of events and reactions between the root and this event. */
  readonly depth: number;
  readonly cause?: Cause;
  /** The first link of the chain; absent on the root itself. */
  readonly root?: Cause;
}

/** The names of the envelope's fields. */
export const envelopeFields: readonly (keyof Envelope)[] = ["version", "origin", "depth", "cause", "root"];

/** An event in the log. Its timestamp is that of its commit; its index is its place there. */
export type LoggedEvent<E extends DomainEvent = DomainEvent> = E & Envelope;

/** A commit: events that became true together. `timestamp` is in ms since the epoch and unique. */
export interface Commit {
  readonly timestamp: number;
  readonly events: readonly LoggedEvent[];
  /**
   * The original index of each event, ascending; only on a commit that compaction has shortened. Use
   * `indexIn`, which works for every commit.
   */
  readonly indexes?: readonly number[];
}

/** Returns the index of the event at a place of `events`; references use the index. */
export function indexIn({ indexes }: Commit, place: number): number {
  return indexes === undefined ? place : (indexes[place] ?? place);
}

/** Returns the event with an index; undefined when there is none, or compaction has removed it. */
export function eventIn({ events, indexes }: Commit, index: number): LoggedEvent | undefined {
  return events[indexes === undefined ? index : indexes.indexOf(index)];
}

/** Returns the reference of the event at `index` of the commit at `timestamp`. */
export function eventRef(timestamp: number, index: number): EventRef {
  return `${timestamp}-${index}`;
}

/** An event with its reference; in a trial the reference is not in the log. */
export interface Happened {
  readonly ref: EventRef;
  readonly event: LoggedEvent;
}

/** Parses an event reference; undefined for any other text. */
export function parseEventRef(text: string): { timestamp: number; index: number } | undefined {
  const match = /^(\d{1,16})-(\d{1,9})$/.exec(text);
  return match ? { timestamp: Number(match[1]), index: Number(match[2]) } : undefined;
}

/** An event type: its name, its version and the schema of its fields (with `type` and `id`). */
export interface EventDefinition<E extends DomainEvent = DomainEvent> {
  readonly type: E["type"];
  readonly version: number;
  readonly schema: Type.TObject;
  /** Fields that may contain keys: they never leave the hub and are sealed on disk. */
  readonly secrets?: readonly string[];
  /** Fields about the person with this `id`: readable on disk until that person is forgotten. */
  readonly personal?: PersonalFields;
  /** Marks telemetry: events that compaction may remove. All others are kept forever. */
  readonly telemetry?: Telemetry;
  /** Only for type inference; never present at run time. */
  readonly event?: E;
}

/**
 * Returns which attributes of the aggregate's state an event sets, independently of earlier events.
 * Compaction keeps an event while it is the newest to set one of them; it also keeps the newest event of each
 * existing object.
 * @param state before the event; undefined when there is no such object
 */
export type Telemetry = (event: DomainEvent, state: unknown) => Iterable<string>;

/** Declares an event type. A changed field needs a new version and an upcaster. */
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
 * Declares events of a type as telemetry.
 * @param writes as `Telemetry`; left out when the newest event of an object has everything
 */
export function telemetry<E extends DomainEvent>(
  definition: EventDefinition<E>,
  writes: (event: E, state: unknown) => Iterable<string> = () => [],
): EventDefinition<E> {
  return { ...definition, telemetry: writes as Telemetry };
}

/** Declares the personal fields of an event, and what replaces each once that person is forgotten. */
export function personal<E extends DomainEvent>(
  definition: EventDefinition<E>,
  fields: Readonly<Partial<Record<Exclude<keyof E, "type" | "id">, string | null>>>,
): EventDefinition<E> {
  return { ...definition, personal: fields as PersonalFields };
}

/** The event that a definition declares. */
export type EventOf<D> = D extends EventDefinition<infer E> ? E : never;

/** Converts an event of an older version to the next version; pure, by `<type>@<version>`. */
export type Upcasters = Readonly<Record<string, (event: LoggedEvent) => LoggedEvent>>;
