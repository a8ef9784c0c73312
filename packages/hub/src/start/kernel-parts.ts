import { createHash, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { KernelOptions } from "@ledge/kernel";
import type { AnyDecider, Reaction } from "@ledge/model";
import { aggregates, categories, EpochOpened, restorable } from "@ledge/model";
import { catalogue, customRules, RuleEngine, rulesOf } from "@ledge/rules";
import { reactions } from "../reactions/index.ts";
import { removedFromRules } from "../reactions/rules.ts";
import { release } from "../version.ts";

/** Of a text in UTF-8, hexadecimal. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Aggregates of which the rules know more than the model does. */
const knowing: Readonly<Record<string, AnyDecider>> = {
  rule: restorable(rulesOf(catalogue)) as AnyDecider,
  customRule: customRules(sha256) as AnyDecider,
};

/** What every kernel of this hub is made of, whichever log it is opened over. */
export const kernelParts = {
  aggregates: aggregates.map((aggregate) => knowing[aggregate.kind] ?? aggregate),
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
