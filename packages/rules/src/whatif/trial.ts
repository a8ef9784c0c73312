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
import type { Catalogue } from "../catalogue/catalogue.ts";

/** A home for a trial: a `Simulation` of the kernel with its own reactions. */
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
  /** The rules to try. A rule with the id of an existing one takes its place. */
  readonly rules: readonly RuleConfig[];
  /** The ids of further rules to leave out. */
  readonly replaces: readonly string[];
  /** Custom rules in the version to try, whatever was installed at the time. */
  readonly customRules?: readonly CustomRule[];
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  /**
   * When the tried rules are on: always, or when the rules that they replace were on. Default: always. A rule
   * that replaces none or several is always on.
   */
  readonly on?: "always" | "recorded";
  /** Reactions to what the rules do, such as that a scene applies its presets. */
  readonly reactions: readonly Reaction[];
  /** Returns whether the trial has run out of time. */
  readonly isOver: () => boolean;
}

/** Opens a home for a trial with these reactions. */
export type OpenTrial = (reactions: readonly Reaction[]) => Trial;
