import type { Command, LoggedEvent, RuleRun, RuleState, World } from "@ledge/model";
import type { Catalogue, CatalogueEntry } from "../catalogue/catalogue.ts";
import type { MachineOf } from "../engine/machines.ts";
import { Machines } from "../engine/machines.ts";
import { workingRule } from "../engine/members.ts";
import { RuleIndex } from "../engine/rule-index.ts";
import { runId } from "../engine/run-id.ts";
import { machineOf } from "../machine/step.ts";
import type { RawStimulus } from "../engine/stimuli.ts";
import { heardEvents, whoHears } from "../engine/stimuli.ts";
import { blamed } from "./blame.ts";
import type { Read } from "./reads.ts";
import { Reads } from "./reads.ts";
import type { Ask, Way } from "./traced-chart.ts";
import { tracedChart } from "./traced-chart.ts";
import { TracedView } from "./traced-view.ts";

/** A guard that was evaluated during a step. */
export interface Asked extends Way {
  readonly held: boolean;
  /** What the guard read. */
  readonly reads: readonly Read[];
  /** What of it kept the guard from holding; empty when it held. */
  readonly blamed: ReadonlySet<Read>;
}

/** The effect of an event on a machine of a rule, replayed. */
export interface Traced {
  /** The id of the machine's run. */
  readonly run: string;
  /** The types of the stimuli that it heard. */
  readonly stimuli: readonly string[];
  /** Its state before and after; null: it did not run. */
  readonly before: unknown;
  readonly after: unknown;
  /** The guards in the order of evaluation. */
  readonly asked: readonly Asked[];
  /** The commands that it wanted. */
  readonly wanted: readonly Command[];
  /** The error that it threw. */
  readonly fault?: string;
}

const heard: ReadonlySet<string> = new Set(heardEvents);
/** Events at which the machines of a rule may restart. */
const beginning: ReadonlySet<string> = new Set([
  "RuleCreated",
  "RuleConfigured",
  "RuleOnConfigured",
  "SceneCreated",
  "SceneTimesChanged",
  "CustomRuleInstalled",
]);

/**
 * Replays an event for the machines of a rule.
 * @param world the home as the rule saw it
 * @returns one entry for each machine that heard of the event; empty when it did not reach the rule
 */
export function traceRule(
  id: string,
  event: LoggedEvent,
  world: World,
  catalogue: Catalogue,
): readonly Traced[] {
  const rule = workingRule(id, world, catalogue);
  const entry = rule && catalogue.entry(rule.config.configType, world);
  if (rule === undefined || entry === undefined) return [];
  if (beginning.has(event.type)) return traceAll(rule, entry, [{ type: "rule.on" }], world, true);
  if (!heard.has(event.type) && event.type !== "DeviceRemoved") return [];
  const index = new RuleIndex(catalogue);
  index.add(rule, world);
  return whoHears(event, world, catalogue, index)
    .filter((of) => of.rule.id === id)
    .flatMap(({ stimuli }) => traceAll(rule, entry, stimuli, world));
}

function traceAll(
  rule: RuleState,
  entry: CatalogueEntry,
  stimuli: readonly RawStimulus[],
  world: World,
  isAnew = false,
): readonly Traced[] {
  if (!rule.is_on && stimuli.every(({ type }) => type !== "rule.off")) return [];
  const { each } = entry.template;
  const { inputs, outputs } = rule.config;
  const devices = each === undefined ? [undefined] : (inputs[each] ?? outputs[each] ?? []);
  return devices.flatMap((device) => {
    const own = stimuli.filter(({ each: of }) => of === undefined || of === device);
    if (own.length === 0) return [];
    const id = runId({ rule: rule.id, ...(device !== undefined && { each: device }) });
    const run = isAnew ? undefined : world.get("ruleRun", id);
    return [traceRun({ rule, entry, each: device, run }, id, own, world)];
  });
}

function traceRun(of: MachineOf, id: string, stimuli: readonly RawStimulus[], world: World): Traced {
  const asked: Asked[] = [];
  const ask: Ask = (way, guard, given) => {
    const view = given.event.view as TracedView;
    const look = (reads: Reads): boolean => {
      const context = watched(given.context, reads);
      return view.during(reads, () => guard({ context, event: given.event }));
    };
    const reads = new Reads();
    const held = look(reads);
    const all = reads.all;
    const { spent } = view;
    const again = (instead: ReadonlyMap<string, unknown>): boolean => {
      view.spent = 0;
      return isHeld(() => look(new Reads(instead)));
    };
    const to = held ? new Set<Read>() : blamed(all, again);
    // Evaluating guards again is not work of the step.
    view.spent = spent;
    asked.push({ ...way, held, reads: all, blamed: to });
    return held;
  };
  const { entry } = of;
  const machine = machineOf(tracedChart(entry.template.chart, ask));
  const machines = new Machines((...view) => new TracedView(...view));
  const told = { run: id, stimuli: stimuli.map(({ type }) => type), before: of.run?.value ?? null };
  try {
    const { own, wanted } = machines.run({ ...of, entry: { ...entry, machine } }, stimuli, world);
    return { ...told, after: valueAfter(own, of.run), asked: withoutRepeats(asked), wanted };
  } catch (error) {
    const fault = (error as Error).message;
    return { ...told, after: told.before, asked: withoutRepeats(asked), wanted: [], fault };
  }
}

function valueAfter(own: readonly Command[], run: RuleRun | undefined): unknown {
  const noted = own.find(({ type }) => type === "NOTE_STEPPED" || type === "END_RUN");
  if (noted === undefined) return run?.value ?? null;
  return noted.type === "END_RUN" ? null : (noted as Command & { readonly value: unknown }).value;
}

/** Wraps a context so that each value is noted when it is read. */
function watched(context: object, reads: Reads): object {
  return new Proxy(context, {
    get(kept, name) {
      const value: unknown = Reflect.get(kept, name);
      return typeof name === "string" ? reads.note({ of: "kept", name, value }) : value;
    },
  });
}

/** With replaced readings a guard may meet impossible values and throw; then it does not hold. */
function isHeld(guard: () => boolean): boolean {
  try {
    return guard();
  } catch {
    return false;
  }
}

/** Leaves out a guard that was evaluated again before anything changed. */
function withoutRepeats(asked: readonly Asked[]): readonly Asked[] {
  let since = new Set<string>();
  return asked.filter(({ from, on, to, held }) => {
    const key = JSON.stringify([from, on, to, held]);
    if (since.has(key)) return false;
    since = held ? new Set() : since.add(key);
    return true;
  });
}
