import type { Command, Decider, DomainEvent, Timer, World } from "@ledge/model";

/**
 * The state of every kind of aggregate of a cloud, by kind. Each aggregate of this package adds its own
 * (`declare module "./states.ts"`), so that this file knows none of them.
 */
export interface CloudStates {
  timer: Timer;
}

/** An aggregate of a cloud. */
export type CloudDecider<State, C extends Command, E extends DomainEvent> = Decider<State, C, E, CloudStates>;

/** What an aggregate of a cloud may know of the others. */
export type CloudWorld = World<CloudStates>;
