import type { Command, RuleRun, RuleState, World } from "@ledge/model";
import type { AnyMachineSnapshot } from "xstate";
import type { CatalogueEntry } from "../catalogue/catalogue.ts";
import { commandsOf } from "./commands.ts";
import { runId, timerId } from "./run-id.ts";
import type { Place } from "../schedule/index.ts";
import { placeOf, rangesAt } from "../schedule/index.ts";
import type { Stepped } from "../machine/step.ts";
import { isIdle, resolve, standing, step } from "../machine/step.ts";
import type { RawStimulus } from "./stimuli.ts";
import type { Template } from "../catalogue/template.ts";
import { View } from "../machine/view.ts";

/** A machine of a rule with its state; `run` is undefined for one that starts. */
export interface MachineOf {
  readonly rule: RuleState;
  readonly entry: CatalogueEntry;
  /** The machine's device, when each device has its own machine. */
  readonly each: string | undefined;
  readonly run: RuleRun | undefined;
}

/** The result of stepping a machine. */
export interface Ran {
  /** The machine restarted, because its old state is unknown; its timers are void. */
  readonly isLost: boolean;
  /** Commands that write the new state, if it changed, and its timers. */
  readonly own: readonly Command[];
  /** The commands that the machine wants. */
  readonly wanted: readonly Command[];
  /** Commands that release outputs, as the machine is now idle. */
  readonly freed: readonly Command[];
  /** Units of work, for custom rules. */
  readonly spent: number;
}

/** Steps machines. Its memory is a cache of their runs. */
export class Machines {
  /** Snapshots by their logged value, which saves resolving them for each step. */
  readonly #snapshots = new WeakMap<object, AnyMachineSnapshot>();
  /** When the first event came after the hub's start, ms since the epoch. */
  #startedAt: number | undefined;
  readonly #viewOf: (...of: ConstructorParameters<typeof View>) => View;

  constructor(viewOf: (...of: ConstructorParameters<typeof View>) => View = (...of) => new View(...of)) {
    this.#viewOf = viewOf;
  }

  /** Notes that an event has come. */
  heard(now: number): void {
    this.#startedAt ??= now;
  }

  /**
   * Steps a machine through stimuli, one after the other.
   * @throws what a guard or an action throws; then nothing has happened
   */
  run(of: MachineOf, stimuli: readonly RawStimulus[], world: World): Ran {
    const { rule, entry, each, run } = of;
    const { template, machine } = entry;
    const id = runId({ rule: rule.id, ...(each !== undefined && { each }) });
    const known = run && this.#snapshotOf(run, entry);
    const isLost = run !== undefined && known === undefined;
    const first = known ?? machine.initial;
    const own: Command[] = [];
    const wanted: Command[] = [];
    let snapshot = first;
    let spent = 0;
    for (const { type, change, isSkipped } of known === undefined
      ? fromTheBeginning(rule, stimuli)
      : stimuli) {
      const device = each === undefined ? undefined : world.get("device", each);
      const view = this.#viewOf(world, template, rule, placeIn(world), device, change, this.#startedAt);
      const stepped = step(machine, snapshot, { type, view });
      snapshot = stepped.snapshot;
      spent += view.spent;
      own.push(...timersOf(stepped, template, id), ...timeOf(type, template, id, view, snapshot));
      if (!isSkipped) wanted.push(...commandsOf(stepped.effects, rule, template));
    }
    const isNoted = snapshot !== first || isLost || (run?.faults ?? 0) > 0;
    if (isNoted) own.unshift(this.#note(id, rule, template, snapshot));
    // It is unknown what a lost machine held.
    const isFreed = isNoted && isIdle(snapshot) && (isLost || !isIdle(first));
    return { isLost, own, wanted, freed: isFreed ? freeOutputs(rule) : [], spent };
  }

  /** Returns what a machine wants when its rule goes off; nothing if it fails at that. */
  leave({ rule, entry, each, run }: MachineOf, world: World): readonly Command[] {
    const { template, machine } = entry;
    try {
      const snapshot = run && this.#snapshotOf(run, entry);
      if (snapshot === undefined) return [];
      const device = each === undefined ? undefined : world.get("device", each);
      const view = new View(world, template, rule, placeIn(world), device);
      return commandsOf(step(machine, snapshot, { type: "rule.off", view }).effects, rule, template);
    } catch {
      return [];
    }
  }

  #note(id: string, rule: RuleState, { version }: Template, snapshot: AnyMachineSnapshot): Command {
    const { value, context } = standing(snapshot);
    if (typeof value !== "object" || value === null) return { type: "END_RUN", id } as Command;
    this.#snapshots.set(value, snapshot);
    return { type: "NOTE_STEPPED", id, rule: rule.id, templateVersion: version, value, context } as Command;
  }

  /** Undefined when the machine has to restart because its template has changed. */
  #snapshotOf(run: RuleRun, { template, machine }: CatalogueEntry): AnyMachineSnapshot | undefined {
    const { value, context, templateVersion: version } = run;
    const key = typeof value === "object" ? value : null;
    // A snapshot of another version belongs to another machine.
    const known = key === null || version !== template.version ? undefined : this.#snapshots.get(key);
    if (known !== undefined) return known;
    try {
      const older = version < template.version ? template.migrate?.({ version, value, context }) : undefined;
      const stands = version === template.version ? run : older;
      if (stands === undefined) return undefined;
      const snapshot = resolve(machine, stands as { value: unknown; context: Record<string, unknown> });
      if (key !== null && stands === run) this.#snapshots.set(key, snapshot);
      return snapshot;
    } catch {
      return undefined;
    }
  }
}

/** Stimuli that may change when the next edge of a rule's time ranges comes. */
const rearming: ReadonlySet<string> = new Set(["rule.on", "rule.off", "time", "zone"]);

/** For a machine that does not run yet: if its rule is on, it starts as if the rule had just been turned on. */
function fromTheBeginning({ is_on }: RuleState, stimuli: readonly RawStimulus[]): readonly RawStimulus[] {
  if (!is_on || stimuli.some(({ type }) => type === "rule.on")) return stimuli;
  // Timers that this machine did not set mean nothing to it.
  return [{ type: "rule.on" }, ...stimuli.filter(({ type }) => !type.startsWith("xstate."))];
}

function freeOutputs({ id: rule, config }: RuleState): readonly Command[] {
  const devices = new Set(Object.values(config.outputs).flat());
  return [...devices].map((id) => ({ type: "FREE_OUTPUT", id, rule }) as Command);
}

function timersOf({ timers, cancelled }: Stepped, template: Template, run: string): readonly Command[] {
  return [
    ...cancelled.map((name) => ({ type: "CANCEL_TIMER", id: timerId(run, name) }) as Command),
    ...timers.map(({ name, durationMs }) => {
      const { late, lateMaxMs } = template.lateOf?.[delayOf(name)] ?? template.late;
      const how = { late, ...(lateMaxMs !== undefined && { lateMaxMs }) };
      return { type: "SET_TIMER", id: timerId(run, name), durationMs, ...how } as Command;
    }),
  ];
}

/** Returns the commands for the timer of the next edge of the rule's time ranges. */
function timeOf(
  type: string,
  { times }: Template,
  run: string,
  view: View,
  { value }: AnyMachineSnapshot,
): readonly Command[] {
  if (times === undefined || !rearming.has(type)) return [];
  const id = timerId(run, "time");
  const due = value === "off" ? null : rangesAt(times(view), view.now, view.place).next;
  const next = { type: "SET_TIMER_AT", id, due, late: "fire" } as Command;
  return [due === null ? ({ type: "CANCEL_TIMER", id } as Command) : next];
}

const nowhere = { timezone: "UTC", location: null };

function placeIn(world: Pick<World, "all">): Place {
  for (const [, hub] of world.all("hub")) return placeOf(hub);
  return placeOf(nowhere);
}

/** Returns the delay of a timer with the name `xstate.after.<delay>.<state>`. */
function delayOf(name: string): string {
  return name.split(".")[2] ?? "";
}
