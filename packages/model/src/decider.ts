import type { CategoryType } from "./categories.ts";
import type { Cause, DomainEvent, EventDefinition, Origin } from "./event.ts";
import type { PersonalFields } from "./personal.ts";
import type { States } from "./states.ts";

/** A request that an aggregate may refuse. `type` routes it to its decider. */
export interface Command {
  readonly type: string;
}

/** Why a command was refused: a value, never an exception. `field` is a path such as `name` or `state.hue`. */
export interface Rejection {
  readonly rejected: "not-found" | "forbidden" | "invalid" | "wrong-state";
  readonly message: string;
  readonly field?: string;
}

/** What `decide` answers: events of its own aggregate or of others, none when nothing changes, or a rejection. */
export type Decision<E extends DomainEvent = DomainEvent> = readonly (E | DomainEvent)[] | Rejection;

/**
 * What `decide` may know of the rest of the states: everything comes in, nothing is fetched.
 * @template Kinds kind of aggregate -> its state: a hub's unless said otherwise
 */
export interface World<Kinds extends object = States> {
  /** Timestamp (ms) of the commit that is being decided. */
  readonly now: number;
  /** A fresh UUID. */
  newId(): string;
  get<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined;
  all<K extends keyof Kinds>(kind: K): IterableIterator<[id: string, state: Kinds[K]]>;
  size(kind: keyof Kinds): number;
  /** What was there before the first command of the same submission. */
  readonly before: Pick<Reader<Kinds>, "get">;
}

/** Reads states of any aggregate. */
export type Reader<Kinds extends object = States> = Pick<World<Kinds>, "get" | "all" | "size">;

/** How a kind of aggregate appears in the poll delta (hub-api 2.2). */
export interface DeltaCategory<State> {
  readonly type: CategoryType;
  /** Access mask of those who may read this object. Default: every role but anonymous. */
  readMask?(state: State): number;
  /** The one user who may read this object, or null for all that the mask admits. */
  reader?(state: State): string | null;
  /** Guests are shown another object: without what hidden devices lend to it. It is rendered for them apart. */
  readonly hidesFromGuests?: true;
  /**
   * The object as the API serves it, where that is more than the state. It may read the objects of whose
   * events `dependents` answers with its id, and nothing else. Languages other than `en` are asked for only when `localised`.
   */
  render?(state: State, context: RenderContext): object;
  readonly localised?: boolean;
  /**
   * Ids of further objects of this category whose rendering an event changes.
   * @param read the states after the event's whole commit.
   * @param forGuests whether the rendering for guests is meant, where that is another.
   */
  dependents?(event: DomainEvent, read: Reader, forGuests: boolean): Iterable<string>;
}

export interface RenderContext {
  readonly read: Reader;
  /** When the object was last heard of (ms), as held in memory; undefined when not since the start. */
  readonly seen: number | undefined;
  readonly language: string;
  /** Whether it is for those who are not shown hidden devices; only ever true when `hidesFromGuests`. */
  readonly forGuests: boolean;
  /** When the object last changed for a client (ms): its own change or that of an object it depends on. */
  readonly timestamp: number;
}

/** One kind of aggregate: pure functions over its commands, events and state. */
export interface Decider<
  State,
  C extends Command = Command,
  E extends DomainEvent = DomainEvent,
  Kinds extends object = States,
> {
  readonly kind: keyof Kinds & string;
  readonly commands: readonly C["type"][];
  readonly events: readonly EventDefinition[];
  readonly delta?: DeltaCategory<State>;
  /** Fields of the state that may hold keys: records, each value of which is sealed on disk. */
  readonly secrets?: readonly (keyof State & string)[];
  /** Fields of the state about the person whom its id names. */
  readonly personal?: PersonalFields;
  /** The id of the instance that a command addresses; undefined when it creates one. */
  target(command: C): string | undefined;
  decide(command: C, state: State | undefined, world: World<Kinds>): Decision<E>;
  /** The state after an event; undefined when the instance is gone. Never fails, never looks elsewhere. */
  evolve(state: State | undefined, event: E, timestamp: number): State | undefined;
}

/** A rejection as a value. */
export function reject(rejected: Rejection["rejected"], message: string, field?: string): Rejection {
  return field === undefined ? { rejected, message } : { rejected, message, field };
}

/** Tells a rejection from what there is when nothing is refused, such as a list of events. */
export function isRejection(decision: object): decision is Rejection {
  return "rejected" in decision;
}

/** Ids of a kind in an order of their own: that in which states are held is another one after a restart. */
export function idsOf(kind: keyof States, read: Pick<Reader, "all">): string[] {
  return [...read.all(kind)].map(([id]) => id).toSorted();
}

/** A command that follows an event on behalf of somebody of its own. */
export interface Following {
  readonly command: Command;
  readonly origin: Origin;
}

/** Follows an event with commands to other aggregates, decided in the same commit. */
export interface Reaction<Kinds extends object = States> {
  readonly name: string;
  readonly on: readonly string[];
  /** Who sets on what follows, where that is not who set on the event. */
  origin?(event: DomainEvent): Origin;
  /** @param world as it is after the event and what was decided with it. */
  react(event: DomainEvent, world: World<Kinds>): readonly (Command | Following)[];
  /**
   * What is to be done about an event that ends a cascade, as nothing follows it any more.
   * What that leads to is decided, and no reaction follows it.
   */
  cutShort?(event: DomainEvent, world: World<Kinds>): readonly (Command | Following)[];
}

/** The chain of causes that a command stands in. */
export interface Chain {
  readonly origin: Origin;
  readonly cause?: Cause;
  readonly root?: Cause;
  readonly depth: number;
}

/** A command that follows an event and is decided later than that: in the next commit, or in a trial. */
export interface Continuation {
  readonly command: Command;
  readonly chain: Chain;
}

/** What led to commands that are tried: a chain as far as there is one. */
export type TriedFor = Pick<Chain, "origin"> & Partial<Chain>;
