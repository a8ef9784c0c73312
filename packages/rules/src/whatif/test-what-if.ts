import type { Commit, Reaction, RuleConfig } from "@ledge/model";
import { trialOver } from "@ledge/testkit";
import type { TestHouse } from "../testdata/house.ts";
import { scenes } from "../testdata/house.ts";
import { catalogue } from "../templates/index.ts";
import type { WhatIfAnswer } from "./outcome.ts";
import type { WhatIfOf } from "./trial.ts";
import { whatIf } from "./what-if.ts";

export type Span = Pick<WhatIfOf, "from" | "to">;

/**
 * Runs a trial of rules on the log of a test house.
 * @param wants the trial hears no commit for which it returns false; the hub skips commits in the same way
 */
export function tryIn(
  house: TestHouse,
  { from, to }: Span,
  rules: readonly RuleConfig[],
  more: Partial<WhatIfOf> = {},
  wants: (commit: Commit) => boolean = () => true,
): WhatIfAnswer {
  const { log } = house.hub;
  const of = { catalogue, rules, replaces: [], from, to, reactions: [scenes], isOver: () => false, ...more };
  const open = (reactions: readonly Reaction[]) => trialOver(log, from, reactions);
  return whatIf(of, open, [...log.read(from, to)].filter(wants));
}
