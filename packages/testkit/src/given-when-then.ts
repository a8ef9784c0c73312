import assert from "node:assert/strict";
import type { AnyDecider, Command, Decider, DomainEvent, Rejection, States, World } from "@ledge/model";
import { aggregates, isRejection } from "@ledge/model";
import { eventProblems } from "./event-problems.ts";

/** When commands of a test are decided, ms since the epoch, unless it says otherwise. */
export const testNow = Date.UTC(2026, 0, 15, 10);

type Fields = Readonly<Record<string, unknown>>;

/** What a command comes to: its events, all fields of them, or a rejection of which `message` may be left out. */
export type Expected =
  | readonly (DomainEvent & Fields)[]
  | (Omit<Rejection, "message"> & { message?: string });

/** @template Kinds kind of aggregate -> its state: a hub's unless said otherwise */
export interface Given<Kinds extends object = States> {
  /** What the commands before it in the same submission have come to. */
  and(events: readonly (DomainEvent & Fields)[]): Given<Kinds>;
  /** @param now timestamp (ms) of the commit that the command is decided in. */
  when(command: Command & Fields, now?: number): When<Kinds>;
  state<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined;
}

export interface When<Kinds extends object = States> {
  /**
   * Fails unless the command comes to exactly this. Whatever it comes to, its events must match their
   * definitions and must survive being written down, and so must the states that they lead to.
   */
  then(expected: Expected): After<Kinds>;
}

/** The states after the command's events. */
export interface After<Kinds extends object = States> {
  state<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined;
}

/**
 * `given(events).when(command).then(events or rejection)` over the model's aggregates. Events and commands of
 * any aggregate go to the one that knows them. New ids are `new-1`, `new-2` and so on.
 * @param events each applied at a timestamp (ms) of its own: 1, 2 and so on.
 */
export function given<Kinds extends object = States>(
  events: readonly (DomainEvent & Fields)[] = [],
  over?: readonly Decider<Kinds[keyof Kinds], Command, DomainEvent, Kinds>[],
): Given<Kinds> {
  const home = new Home((over as readonly AnyDecider[] | undefined) ?? aggregates);
  for (const [index, event] of events.entries()) home.apply(event, index + 1);
  // Within, kinds are names: whose states they are concerns only who asks for them.
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
    // It reads as a sentence, and nobody awaits it.
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
  assert.ok(rejection.message.length > 0, "a rejection says why");
  if ("message" in expected) return rejection;
  const { message: _, ...rest } = rejection;
  return rest;
}

/** States of every aggregate, as events made them. All of them are frozen: nothing may write to what is read. */
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

  /** @param before as it was before the submission that the copy is in the middle of */
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
    assert.deepEqual(asWritten(state), state, `the state after ${event.type} survives being written down`);
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
    assert.deepEqual(decide(), decision, "the same command, state and ids come to the same");
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

/** A home that holds `count` of every kind, for limits; what they are nobody can see. */
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
