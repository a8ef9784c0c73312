import type {
  AnyDecider,
  Chain,
  Command,
  Continuation,
  Happened,
  LoggedEvent,
  Reaction,
  States,
  Timer,
  TriedFor,
} from "@ledge/model";
import { eventRef, limits } from "@ledge/model";
import type { Decided, Place } from "./decide.ts";
import { Deciders } from "./decide.ts";
import { Heap } from "./heap.ts";
import type { Layer } from "./layer.ts";
import { Overlay } from "./layer.ts";

export interface SimulationParts {
  readonly aggregates: readonly AnyDecider[];
  readonly reactions: readonly Reaction[];
  /** Returns a fresh id. For a reproducible result it must return the same ids each time. */
  readonly newId: () => string;
}

/** The first index of simulated events, higher than any index in the commits of the log. */
const firstIndex = 1_000_000;

/**
 * A home with a time of its own. Decisions in it have no effect on the states below. Timers set in it come due in
 * it.
 */
export class Simulation {
  readonly #deciders: Deciders;
  readonly #states: Overlay;
  readonly #timers = new Heap<Timer>();
  #index = firstIndex;

  /** @param below the initial states, which must not change during the simulation */
  constructor({ aggregates, reactions, newId }: SimulationParts, below: Layer) {
    this.#deciders = new Deciders(aggregates, reactions, newId);
    this.#states = new Overlay(below);
  }

  get<K extends keyof States>(kind: K, id: string): States[K] | undefined {
    return this.#states.get(kind, id) as States[K] | undefined;
  }

  all<K extends keyof States>(kind: K): IterableIterator<[id: string, state: States[K]]> {
    return this.#states.all(kind) as IterableIterator<[string, States[K]]>;
  }

  size(kind: keyof States): number {
    return this.#states.size(kind);
  }

  /** Sets a state without an event; undefined removes it. */
  put<K extends keyof States>(kind: K, id: string, state: States[K] | undefined): void {
    this.#states.set(kind, id, state);
  }

  /** Makes a timer of the states below come due in the simulation. */
  arm(timer: Timer): void {
    this.#timers.push(timer.due, timer);
  }

  /** Removes and returns the timer that is due next, if that is at or before `until` (ms). */
  nextDue(until: number): Timer | undefined {
    for (
      let next = this.#timers.peek();
      next !== undefined && next.key <= until;
      next = this.#timers.peek()
    ) {
      this.#timers.pop();
      if (this.get("timer", next.value.id) === next.value) return next.value;
    }
    return undefined;
  }

  /**
   * Applies an event as it was recorded, without reactions.
   * @throws EvolveError
   */
  copy(event: LoggedEvent, timestamp: number): void {
    this.#deciders.apply(event, timestamp, this.#states);
  }

  /**
   * Applies an event as it was recorded.
   * @returns the commands of reactions to it, which `carryOn` decides
   * @throws EvolveError, and as reactions do
   */
  witness(event: LoggedEvent, timestamp: number, index: number): readonly Continuation[] {
    const { overlay, following } = this.#deciders.witness(event, this.#place(timestamp, index));
    overlay.mergeInto(this.#states);
    return following;
  }

  /**
   * Decides the commands that follow a witnessed event.
   * @returns the events that they led to
   * @throws as `decide`
   */
  carryOn(following: readonly Continuation[], timestamp: number): readonly Happened[] {
    const place = this.#place(timestamp, this.#index);
    return following.length === 0 ? [] : this.#merge(this.#deciders.carryOn(following, place), timestamp);
  }

  /**
   * Decides commands, each on its own.
   * @returns the events that they led to; refused commands lead to none
   * @throws as deciders and reactions do
   */
  decide(commands: readonly Command[], by: TriedFor, timestamp: number): readonly Happened[] {
    const chain: Chain = { depth: 0, ...by };
    const place = this.#place(timestamp, this.#index);
    return this.#merge(this.#deciders.decide(commands, chain, true, place), timestamp);
  }

  #place(timestamp: number, index: number): Place {
    const reactionsLeft = limits.cascadeCommands;
    return { below: this.#states, timestamp, firstIndex: index, reactionsLeft };
  }

  /** Merges a decision, and carries on at once with a cascade that is too much for one commit. */
  #merge({ events, overlay, continuations }: Decided, timestamp: number): Happened[] {
    overlay.mergeInto(this.#states);
    const first = this.#index;
    this.#index += events.length;
    const found = events.map((event, at) => ({ ref: eventRef(timestamp, first + at), event }));
    for (const { type, id } of events) {
      const timer = type === "TimerSet" ? this.get("timer", id) : undefined;
      if (timer !== undefined) this.arm(timer);
    }
    if (continuations.length > 0) found.push(...this.carryOn(continuations, timestamp));
    return found;
  }
}
