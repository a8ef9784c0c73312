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
  /** A fresh id; the same ones each time for what is to come out the same each time. */
  readonly newId: () => string;
}

/** Events of a simulation have indexes from here on: in the log's commits there are none so high. */
const firstIndex = 1_000_000;

/**
 * A home at a time of its own: what is decided in it has not happened, and the states below never see it. Timers that
 * are set in it come due in it.
 */
export class Simulation {
  readonly #deciders: Deciders;
  readonly #states: Overlay;
  readonly #timers = new Heap<Timer>();
  #index = firstIndex;

  /** @param below the states that it begins with; they may not change while it goes on */
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

  /** Puts a state where no event has led to it; undefined takes it away. */
  put<K extends keyof States>(kind: K, id: string, state: States[K] | undefined): void {
    this.#states.set(kind, id, state);
  }

  /** Has a timer come due here that stands in the states below. */
  arm(timer: Timer): void {
    this.#timers.push(timer.due, timer);
  }

  /** Takes the timer out that is due next, if that is at or before `until` (ms). */
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

  /** Takes an event as it was recorded; nothing follows it. @throws EvolveError */
  copy(event: LoggedEvent, timestamp: number): void {
    this.#deciders.apply(event, timestamp, this.#states);
  }

  /**
   * Takes an event as it was recorded.
   * @returns what reactions have follow it: it is decided when `carryOn` is given it
   * @throws EvolveError, and as reactions do
   */
  witness(event: LoggedEvent, timestamp: number, index: number): readonly Continuation[] {
    const { overlay, following } = this.#deciders.witness(event, this.#place(timestamp, index));
    overlay.mergeInto(this.#states);
    return following;
  }

  /** Decides what follows an event that was witnessed. @returns what it led to @throws as `decide` */
  carryOn(following: readonly Continuation[], timestamp: number): readonly Happened[] {
    const place = this.#place(timestamp, this.#index);
    return following.length === 0 ? [] : this.#merge(this.#deciders.carryOn(following, place), timestamp);
  }

  /**
   * Decides commands, each for itself.
   * @returns what they led to; nothing of those that are refused
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

  /** A cascade that is too much for one commit goes on at once. */
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
