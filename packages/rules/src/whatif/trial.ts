import type {
  Command,
  Continuation,
  CustomRule,
  Happened,
  LoggedEvent,
  Reaction,
  Reader,
  RuleConfig,
  States,
  Timer,
  TriedFor,
} from "@ledge/model";
import type { Catalogue } from "../catalogue.ts";

/** A home that can be tried things on: a `Simulation` of the kernel with the reactions of a trial. */
export interface Trial extends Reader {
  put<K extends keyof States>(kind: K, id: string, state: States[K] | undefined): void;
  arm(timer: Timer): void;
  nextDue(until: number): Timer | undefined;
  copy(event: LoggedEvent, timestamp: number): void;
  witness(event: LoggedEvent, timestamp: number, index: number): readonly Continuation[];
  carryOn(following: readonly Continuation[], timestamp: number): readonly Happened[];
  decide(commands: readonly Command[], by: TriedFor, timestamp: number): readonly Happened[];
}

export interface WhatIfOf {
  readonly catalogue: Catalogue;
  /** Rules to try. One with the id of a rule that there is stands in for it. */
  readonly rules: readonly RuleConfig[];
  /** Ids of rules that are left out beside those. */
  readonly replaces: readonly string[];
  /** Custom rules as they are to be tried, whatever was installed then. */
  readonly customRules?: readonly CustomRule[];
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  /**
   * When the rules that are tried are on: all the time, or when those were whose place they take. Default: always.
   * One that takes nobody's place, or that of several, is on all the time.
   */
  readonly on?: "always" | "recorded";
  /** What follows from what the rules do, such as that a scene applies its presets. */
  readonly reactions: readonly Reaction[];
  /** Whether it has taken too long. */
  readonly isOver: () => boolean;
}

/** Opens a home that reactions are tried on. */
export type OpenTrial = (reactions: readonly Reaction[]) => Trial;
