import type { Command, Decider, DomainEvent, Timer, World } from "@ledge/model";

/**
 * States of a cloud's aggregates, by kind. Each aggregate in this package adds its own (`declare module
 * "./states.ts"`), so that this file needs to know none of them.
 */
export interface CloudStates {
  timer: Timer;
}

/** An aggregate of a cloud. */
export type CloudDecider<State, C extends Command, E extends DomainEvent> = Decider<State, C, E, CloudStates>;

/** What an aggregate of a cloud may read of the others. */
export type CloudWorld = World<CloudStates>;
