import { type PastReader, type ProposeRules, told } from "@ledge/api";
import type { Kernel } from "@ledge/kernel";
import type { RuleConfig } from "@ledge/model";
import { customRulesOf, limits } from "@ledge/model";
import { best, candidates, catalogue, proposalOf, tried } from "@ledge/rules";

const dayMs = 86_400_000;

/** Returns a function that proposes rules and tries the best of them on recent events, when those are known. */
export function proposeRules(kernel: Kernel, past: PastReader): ProposeRules {
  return async (wanted, asker, signal) => {
    const { viewer, language } = asker;
    const now = kernel.now();
    const mayRead = (id: string): boolean => kernel.readable("device", id, viewer);
    const found = candidates(wanted, { read: kernel, mayRead, now, language }, catalogue);
    const tries = best(found, { ...wanted, max: limits.proposalTrials });
    const rules = tries.map(({ config }, index): RuleConfig => ({ ...config, id: `proposed-${index + 1}` }));
    const customRules = customRulesOf(rules, kernel);
    const since = now - limits.proposalTrialMs;
    const answer =
      rules.length === 0
        ? undefined
        : await past.ask("firings", { rules, customRules, since }, asker, { signal });
    const { from, firings } = answer instanceof Uint8Array ? (told(answer) as Firings) : nothing;
    const days = Math.max(1, Math.round((now - from) / dayMs));
    const judged = found.map((candidate) => tried(candidate, firings[tries.indexOf(candidate)] ?? 0, days));
    return best(judged, wanted).map((candidate) => proposalOf(candidate, language));
  };
}

interface Firings {
  readonly from: number;
  readonly firings: readonly number[];
}

const nothing: Firings = { from: 0, firings: [] };
