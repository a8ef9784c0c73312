import { createHash, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { KernelOptions } from "@ledge/kernel";
import type { AnyDecider, Reaction } from "@ledge/model";
import { aggregates, categories, EpochOpened, restorable } from "@ledge/model";
import { catalogue, customRules, RuleEngine, rulesOf } from "@ledge/rules";
import { reactions } from "../reactions/index.ts";
import { removedFromRules } from "../reactions/rules.ts";
import { release } from "../version.ts";

/** Returns the SHA-256 of a text in UTF-8, hexadecimal. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Aggregates about which the rules know more than the model. */
const knowing: Readonly<Record<string, AnyDecider>> = {
  rule: restorable(rulesOf(catalogue)) as AnyDecider,
  customRule: customRules(sha256) as AnyDecider,
};

/** The parts of every kernel of this hub, for any log. */
export const kernelParts = {
  aggregates: aggregates.map((aggregate) => knowing[aggregate.kind] ?? aggregate),
  categories,
  /** A new list for each kernel, because the rules' reactions keep state of their kernel. */
  get reactions(): readonly Reaction[] {
    // Rules must see a removal before the object is cleared from them.
    return [...reactions, ...new RuleEngine(catalogue).reactions, removedFromRules];
  },
  epochEvent: EpochOpened.type,
  newId: randomUUID,
  pause: () => setImmediate(),
  release,
} satisfies Partial<KernelOptions>;
