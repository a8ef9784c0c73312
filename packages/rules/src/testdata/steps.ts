import type { AnyMachineSnapshot } from "xstate";
import { transition } from "xstate";
import { seededRandom } from "@ledge/testkit";
import type { Machine } from "../machine/step.ts";
import { machineOf, step } from "../machine/step.ts";
import { RandomRule } from "./view.ts";
import { catalogue } from "../templates/index.ts";

interface Recorded {
  readonly machine: Machine;
  readonly snapshot: AnyMachineSnapshot;
  readonly event: ReturnType<RandomRule["event"]>;
}

/**
 * Records steps of a random walk to run them again: those that changed the state, and those that did not, as
 * with most reports.
 */
export function recordedSteps(
  configType: string,
  count: number,
): { readonly changing: readonly Recorded[]; readonly idle: readonly Recorded[] } {
  const template = catalogue.template(configType);
  if (template === undefined) throw new Error(`no template ${configType}`);
  const rule = new RandomRule(template, seededRandom(1));
  const machine = machineOf(template.chart);
  let { initial: snapshot } = machine;
  const changing: Recorded[] = [];
  const idle: Recorded[] = [];
  for (let made = 0; made < count; made++) {
    const recorded = { machine, snapshot, event: rule.event([]) };
    const next = step(machine, snapshot, recorded.event).snapshot;
    (next === snapshot ? idle : changing).push(recorded);
    snapshot = next;
  }
  return { changing, idle };
}

/** Runs a recorded step. */
export function stepped({ machine, snapshot, event }: Recorded): unknown {
  return step(machine, snapshot, event);
}

/** Runs a recorded step with the library's own transition. */
export function transitioned({ machine, snapshot, event }: Recorded): unknown {
  return transition(machine.machine, snapshot, event as never);
}
