import assert from "node:assert/strict";
import type { AnyDecider, Command, Decider, DomainEvent, Rejection, States, World } from "@ledge/model";
import { aggregates, isRejection } from "@ledge/model";
import { eventProblems } from "./event-problems.ts";

/** The default time of a test's commands, ms since the epoch. */
export const testNow = Date.UTC(2026, 0, 15, 10);

type Fields = Readonly<Record<string, unknown>>;

/** The expected result of a command: its events with all fields, or a rejection whose `message` may be left out. */
export type Expected =
  | readonly (DomainEvent & Fields)[]
  | (Omit<Rejection, "message"> & { message?: string });

/** @template Kinds kind of aggregate -> its state; by default a hub's */
export interface Given<Kinds extends object = States> {
  /** Adds the events of earlier commands in the same submission. */
  and(events: readonly (DomainEvent & Fields)[]): Given<Kinds>;
  /** @param now timestamp (ms) of the commit in which the command is decided. */
  when(command: Command & Fields, now?: number): When<Kinds>;
  state<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined;
}

export interface When<Kinds extends object = States> {
  /**
   * Fails unless the command results in exactly this. In any case its events must match their definitions, and
   * both the events and the resulting states must be the same after a round trip through JSON.
   */
  then(expected: Expected): After<Kinds>;
}

/** The states after the command's events. */
export interface After<Kinds extends object = States> {
  state<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined;
}

/**
 * `given(events).when(command).then(events or rejection)` over the model's aggregates. Events and commands go to
 * the aggregate that knows them. New ids are `new-1`, `new-2` and so on.
 * @param events each is applied at its own timestamp (ms): 1, 2 and so on.
 */
export function given<Kinds extends object = States>(
  events: readonly (DomainEvent & Fields)[] = [],
  over?: readonly Decider<Kinds[keyof Kinds], Command, DomainEvent, Kinds>[],
): Given<Kinds> {
  const home = new Home((over as readonly AnyDecider[] | undefined) ?? aggregates);
  for (const [index, event] of events.entries()) home.apply(event, index + 1);
  // Internally kinds are plain names. Only callers care about the types of their states.
  return givenHome(home) as unknown as Given<Kinds>;
}

function givenHome(home: Home): Given {
  return {
    and(events) {
      const further = home.copy(home);
      for (const event of events) further.apply(event, testNow);
      return givenHome(further);
    },
    when: (command, now = testNow) => when(home, command, now),
    state: (kind, id) => home.get(kind, id),
  };
}

function when(home: Home, command: Command & Fields, now: number): When {
  const decision = home.decide(command, now);
  return {
    // `then` makes a test read as a sentence. Nobody awaits this object.
    // oxlint-disable-next-line unicorn/no-thenable
    then(expected) {
      assert.deepEqual(isRejection(decision) ? withoutMessage(decision, expected) : decision, expected);
      const after = home.copy();
      if (!isRejection(decision)) for (const event of decision) after.apply(event, now);
      return { state: (kind, id) => after.get(kind, id) };
    },
  };
}

function withoutMessage(rejection: Rejection, expected: Expected): object {
  assert.ok(rejection.message.length > 0, "a rejection has a message");
  if ("message" in expected) return rejection;
  const { message: _, ...rest } = rejection;
  return rest;
}

/** The states of all aggregates, built from events. All are frozen, so that a write to one fails. */
class Home {
  readonly #aggregates: readonly AnyDecider[];
  readonly #states: Map<string, Map<string, unknown>>;
  readonly #before: Home | undefined;

  constructor(
    over: readonly AnyDecider[],
    states: Map<string, Map<string, unknown>> = new Map(),
    before?: Home,
  ) {
    this.#aggregates = over;
    this.#states = states;
    this.#before = before;
  }

  /** @param before the state before the submission that the copy is part of */
  copy(before?: Home): Home {
    const states = new Map([...this.#states].map(([kind, of]) => [kind, new Map(of)]));
    return new Home(this.#aggregates, states, before);
  }

  get<K extends keyof States>(kind: K, id: string): States[K] | undefined {
    return this.#of(kind).get(id) as States[K] | undefined;
  }

  apply(event: DomainEvent, timestamp: number): void {
    assert.deepEqual(eventProblems(event, this.#aggregates), []);
    const decider = this.#aggregates.find(({ events }) => events.some(({ type }) => type === event.type));
    assert.ok(decider, `no aggregate knows ${event.type}`);
    const of = this.#of(decider.kind);
    const state = decider.evolve(of.get(event.id) as never, frozen(event), timestamp);
    assert.deepEqual(
      asWritten(state),
      state,
      `the state after ${event.type} is the same after a round trip through JSON`,
    );
    if (state === undefined) of.delete(event.id);
    else of.set(event.id, frozen(state));
  }

  decide(command: Command, now: number): ReturnType<AnyDecider["decide"]> {
    const decider = this.#aggregates.find(({ commands }) => commands.includes(command.type as never));
    assert.ok(decider, `no aggregate takes ${command.type}`);
    const id = decider.target(command);
    const state = id === undefined ? undefined : this.#of(decider.kind).get(id);
    const decide = (): ReturnType<AnyDecider["decide"]> =>
      decider.decide(frozen(command), state as never, this.#world(now));
    const decision = decide();
    assert.deepEqual(decide(), decision, "deciding the same command twice gives the same result");
    return decision;
  }

  #world(now: number): World {
    let ids = 0;
    return {
      now,
      newId: () => `new-${++ids}`,
      get: (kind, id) => this.get(kind, id),
      all: (kind) => this.#of(kind).entries() as never,
      size: (kind) => this.#of(kind).size,
      before: this.#before ?? this,
    };
  }

  #of(kind: string): Map<string, unknown> {
    const of = this.#states.get(kind) ?? new Map<string, unknown>();
    this.#states.set(kind, of);
    return of;
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}

function asWritten(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/**
 * Returns a world that counts `count` objects of every kind, for tests of limits. The objects themselves cannot
 * be read.
 */
export function crowdedWorld<Kinds extends object = States>(count: number): World<Kinds> {
  let ids = 0;
  return {
    now: testNow,
    newId: () => `new-${++ids}`,
    get: () => undefined,
    all: () => new Map<string, never>().entries(),
    size: () => count,
    before: { get: () => undefined },
  };
}
