import type { CategoryType } from "./categories.ts";
import type { Cause, DomainEvent, EventDefinition, Origin } from "./event.ts";
import type { PersonalFields } from "./personal.ts";
import type { States } from "./states.ts";

/** A request that an aggregate may refuse. Its `type` selects the decider. */
export interface Command {
  readonly type: string;
}

/** Why a command was refused: a value, never an exception. `field` is a path such as `name` or `state.hue`. */
export interface Rejection {
  /** `taken`: another has the name. `limit`: there are as many as there may be. */
  readonly rejected: "not-found" | "forbidden" | "invalid" | "wrong-state" | "taken" | "limit";
  readonly message: string;
  readonly field?: string;
}

/** The result of `decide`: events of its own aggregate or of others (none when nothing changes), or a rejection. */
export type Decision<E extends DomainEvent = DomainEvent> = readonly (E | DomainEvent)[] | Rejection;

/**
 * What `decide` can read of other states; it gets everything from its caller and fetches nothing.
 * @template Kinds kind of aggregate -> its state; by default those of a hub
 */
export interface World<Kinds extends object = States> {
  /** The timestamp (ms) of the commit under way. */
  readonly now: number;
  /** Returns a new UUID. */
  newId(): string;
  get<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined;
  all<K extends keyof Kinds>(kind: K): IterableIterator<[id: string, state: Kinds[K]]>;
  size(kind: keyof Kinds): number;
  /** The states before the first command of the same submission. */
  readonly before: Pick<Reader<Kinds>, "get">;
}

/** Reads states of any aggregate. */
export type Reader<Kinds extends object = States> = Pick<World<Kinds>, "get" | "all" | "size">;

/** How a kind of aggregate appears in the poll delta (hub-api 2.2). */
export interface DeltaCategory<State> {
  readonly type: CategoryType;
  /** The access mask for reading this object. Default: every role but anonymous. */
  readMask?(state: State): number;
  /** The only user who may read this object, or null for all that the mask admits. */
  reader?(state: State): string | null;
  /** Guests get another rendering, without what hidden devices contribute. */
  readonly hidesFromGuests?: true;
  /**
   * The object as the API shows it, if that is more than the state. It may read only objects whose events
   * `dependents` maps to its id. Languages other than `en` are used only when `localised`.
   */
  render?(state: State, context: RenderContext): object;
  readonly localised?: boolean;
  /**
   * Returns the ids of further objects of this category whose rendering an event changes.
   * @param read the states after the event's whole commit
   * @param forGuests whether this is about the rendering for guests, if they have their own
   */
  dependents?(event: DomainEvent, read: Reader, forGuests: boolean): Iterable<string>;
}

/** What a rendering can use besides the state. */
export interface RenderContext {
  readonly read: Reader;
  /** When the object was last heard of (ms), from memory; undefined if not since the start. */
  readonly seen: number | undefined;
  readonly language: string;
  /** Whether to render for guests, without hidden devices; only ever true with `hidesFromGuests`. */
  readonly forGuests: boolean;
  /** When the object last changed for a client (ms): itself, or an object that it depends on. */
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
  /** The fields of the state that may contain keys: records whose values are sealed on disk. */
  readonly secrets?: readonly (keyof State & string)[];
  /** The fields of the state about the person with its id. */
  readonly personal?: PersonalFields;
  /** Returns the id of the instance that a command addresses; undefined when the command creates one. */
  target(command: C): string | undefined;
  decide(command: C, state: State | undefined, world: World<Kinds>): Decision<E>;
  /** Returns the state after an event; undefined when the instance is gone. Never fails, and reads nothing else. */
  evolve(state: State | undefined, event: E, timestamp: number): State | undefined;
}

/** Returns a rejection. */
export function reject(rejected: Rejection["rejected"], message: string, field?: string): Rejection {
  return field === undefined ? { rejected, message } : { rejected, message, field };
}

/** Returns whether a decision is a rejection, and not a list of events or the like. */
export function isRejection(decision: object): decision is Rejection {
  return "rejected" in decision;
}

/** Returns the ids of a kind, sorted, because the order of states in memory changes with a restart. */
export function idsOf(kind: keyof States, read: Pick<Reader, "all">): string[] {
  return [...read.all(kind)].map(([id]) => id).toSorted();
}

/** A command that follows an event, with an origin of its own. */
export interface Following {
  readonly command: Command;
  readonly origin: Origin;
}

/** Follows events with commands to other aggregates, which are decided in the same commit. */
export interface Reaction<Kinds extends object = States> {
  readonly name: string;
  readonly on: readonly string[];
  /** Returns the origin of what follows, if it is not that of the event. */
  origin?(event: DomainEvent): Origin;
  /** @param world the states after the event and those decided with it */
  react(event: DomainEvent, world: World<Kinds>): readonly (Command | Following)[];
  /**
   * Handles an event at the end of a cascade, after which reactions no longer run. Its commands are decided,
   * and no reaction follows those.
   */
  cutShort?(event: DomainEvent, world: World<Kinds>): readonly (Command | Following)[];
}

/** The chain of causes that a command belongs to. */
export interface Chain {
  readonly origin: Origin;
  readonly cause?: Cause;
  readonly root?: Cause;
  readonly depth: number;
}

/** A command that follows an event and is decided later: in the next commit, or in a trial. */
export interface Continuation {
  readonly command: Command;
  readonly chain: Chain;
}

/** The chain behind commands that are tried, as far as there is one. */
export type TriedFor = Pick<Chain, "origin"> & Partial<Chain>;
