import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { KernelOptions } from "@ledge/kernel";
import type { AnyDecider, Reaction } from "@ledge/model";
import { aggregates, categories, EpochOpened } from "@ledge/model";
import { catalogue, RuleEngine, rulesOf } from "@ledge/rules";
import { reactions } from "../reactions/index.ts";
import { removedFromRules } from "../reactions/rules.ts";
import { release } from "../version.ts";

/** What every kernel of this hub is made of, whichever log it is opened over. */
export const kernelParts = {
  aggregates: aggregates.map((aggregate) =>
    aggregate.kind === "rule" ? (rulesOf(catalogue) as AnyDecider) : aggregate,
  ),
  categories,
  /** Of each kernel its own: the rules' keep what follows from its states. */
  get reactions(): readonly Reaction[] {
    // Rules hear of what is gone before they forget it.
    return [...reactions, ...new RuleEngine(catalogue).reactions, removedFromRules];
  },
  epochEvent: EpochOpened.type,
  newId: randomUUID,
  pause: () => setImmediate(),
  release,
} satisfies Partial<KernelOptions>;
