import type { DryRun, HubPorts, PastReader } from "@ledge/api";
import { Refused, told } from "@ledge/api";
import type { Kernel } from "@ledge/kernel";
import { type CustomRule, limits } from "@ledge/model";
import { catalogue, triedOn } from "@ledge/rules";

/** Returns a function that tries a custom rule on recent events. */
export function dryRunOver(kernel: Kernel, past: PastReader): HubPorts["dryRun"] {
  return async ({ id, source, hash }, asker, signal) => {
    const now = kernel.now();
    const version = (kernel.get("customRule", id)?.version ?? 0) + 1;
    const customRule: CustomRule = { id, source, hash, version, installedAt: now };
    const { rules, areOwn } = triedOn(customRule, catalogue, kernel);
    if (rules.length === 0) return null;
    const args = { rules, customRule, since: now - limits.ruleDryRunMs };
    const answer = await past.ask("dry-run", args, asker, { signal });
    if (answer instanceof Refused) return answer;
    const found = told(answer) as DryRun;
    const [fault] = found.faults;
    const [stopped] = found.stopped;
    // A failure with arbitrary devices proves nothing against a rule; one with the home's own rules does.
    if (!areOwn || (fault === undefined && stopped === undefined)) return found;
    const { rule, at } = fault ?? stopped ?? { rule: "", at: 0 };
    const name = rules.find((config) => config.id === rule)?.name ?? rule;
    const why = fault === undefined ? "would have been stopped" : `would have failed: ${fault.reason}`;
    return new Refused(422, `the rule ${name} (${rule}) ${why}, at ${new Date(at).toISOString()}`);
  };
}
