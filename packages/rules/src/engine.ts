import type { AnyMachineSnapshot } from "xstate";
import type {
  AlarmFacts,
  AlarmKind,
  Command,
  Following,
  LoggedEvent,
  Reaction,
  RuleRun,
  RuleState,
  World,
} from "@ledge/model";
import { limits } from "@ledge/model";
import type { Catalogue, CatalogueEntry } from "./catalogue.ts";
import { Firings } from "./firings.ts";
import { holding } from "./holding.ts";
import { commandsOf } from "./commands.ts";
import { RuleIndex } from "./rule-index.ts";
import { isTimerOf, parseRunId, runId, timerId } from "./run-id.ts";
import type { Place } from "./schedule/index.ts";
import { placeOf, rangesAt } from "./schedule/index.ts";
import type { Stepped } from "./step.ts";
import { isScheduled, ruleOf, ruleScheduleId, sceneScheduleId } from "./scheduled.ts";
import { isIdle, resolve, standing, step } from "./step.ts";
import type { Heard, RawStimulus } from "./stimuli.ts";
import { heardEvents, whoHears } from "./stimuli.ts";
import type { Template } from "./template.ts";
import { View } from "./view.ts";

/** The reactions by which rules run. What it holds in memory is derived from the log's states at any time. */
export class RuleEngine {
  readonly #catalogue: Catalogue;
  readonly #index: RuleIndex;
  readonly #firings = new Firings();
  #startedAt: number | undefined;
  /** Snapshots by the value that is written down of them: a step spares resolving them anew. */
  readonly #snapshots = new WeakMap<object, AnyMachineSnapshot>();

  constructor(catalogue: Catalogue, index: RuleIndex = new RuleIndex(catalogue)) {
    this.#catalogue = catalogue;
    this.#index = index;
  }

  /** Steps the machines that an event concerns; all see the same world, and what they come to follows the event. */
  readonly #stepping: Reaction = {
    name: "rules",
    on: [
      ...heardEvents,
      "RuleCreated",
      "RuleConfigured",
      "RuleOnConfigured",
      "RuleRemoved",
      "SceneCreated",
      "SceneTimesChanged",
      "SceneRemoved",
      "DeviceRemoved",
    ],
    react: (event, world) => this.#react(event as LoggedEvent, world),
    cutShort: (event, world) => this.#cutShort(event as LoggedEvent, world),
  };

  /** In the order in which they follow an event. */
  get reactions(): readonly Reaction[] {
    return [holding(this.#index, this.#catalogue), this.#stepping];
  }

  #react(event: LoggedEvent, world: World): readonly Following[] {
    this.#startedAt ??= world.now;
    this.#index.build(world);
    const { type, id } = event;
    switch (type) {
      case "RuleCreated":
      case "RuleConfigured": {
        const rule = world.get("rule", id);
        if (rule === undefined) return [];
        this.#index.add(rule);
        return type === "RuleCreated" ? [] : this.#restart(rule, world);
      }
      case "SceneCreated":
      case "SceneTimesChanged":
      case "SceneRemoved":
        return this.#reschedule(sceneScheduleId(id), world);
      case "RuleOnConfigured":
        return this.#reschedule(ruleScheduleId(id), world);
      case "RuleRemoved":
        return [...this.#ended(id, world), ...this.#reschedule(ruleScheduleId(id), world)];
      case "DeviceRemoved": {
        const own = [...world.all("ruleRun")].filter(([run]) => run.endsWith(`/${id}`));
        return [...own.flatMap(([run, { rule }]) => endRun(run, rule, world)), ...this.#heard(event, world)];
      }
      default:
        return this.#heard(event, world);
    }
  }

  #heard(event: LoggedEvent, world: World): readonly Following[] {
    const found = whoHears(event, world, this.#catalogue, this.#index);
    return found.flatMap((heard) => this.#stepAll(heard, world));
  }

  /**
   * Nothing follows this report any more. Who listens hears of it; a rule that would go on commanding is stopped, as
   * what it does comes back to it. What is about safety is not stopped: the chain ends, and it hears the next report.
   */
  #cutShort(event: LoggedEvent, world: World): readonly Following[] {
    if (event.type !== "DeviceReported") return [];
    this.#index.build(world);
    return whoHears(event, world, this.#catalogue, this.#index).flatMap((heard) => {
      const followed = this.#stepAll(heard, world);
      if (!followed.some(({ command }) => isFiring(command))) return followed;
      return heard.entry.template.class === "SAFETY" ? [] : this.#stop(heard.rule, "loop", world);
    });
  }

  /** The rule that the hub makes of time ranges begins anew, or is not needed any more. */
  #reschedule(id: string, world: World): readonly Following[] {
    const rule = ruleOf(id, world);
    if (rule === undefined) return this.#ended(id, world);
    this.#index.add(rule);
    return this.#restart(rule, world);
  }

  #restart(rule: RuleState, world: World): readonly Following[] {
    const ended = this.#ended(rule.id, world);
    const entry = this.#catalogue.entry(rule.config.configType);
    if (!rule.is_on || entry === undefined) return ended;
    return [...ended, ...this.#stepAll({ rule, entry, stimuli: [{ type: "rule.on" }] }, world, true)];
  }

  #stop(
    rule: RuleState,
    reason: "loop" | "too many commands" | "faults",
    world: World,
  ): readonly Following[] {
    const { id, config } = rule;
    const alarm = alarmAbout(rule, "RULE_STOPPED", { reason, rule: config.name });
    return [
      ...following(id, [{ type: "STOP_RULE", id, reason } as Command, alarm]),
      ...this.#ended(id, world),
    ];
  }

  /** The machines of a rule go off as they are: they do what they do then, and nothing is left of them. */
  #ended(id: string, world: World): readonly Following[] {
    // With the CONFIG that they worked with, even if the rule has another by now, or is gone.
    const rule = world.before.get("rule", id) ?? ruleOf(id, world);
    const runs = [...world.all("ruleRun")].filter(([, run]) => run.rule === id);
    for (const [run] of runs) this.#firings.forget(run);
    return [
      ...following(id, rule === undefined ? [] : runs.flatMap(([, run]) => this.#leaving(rule, run, world))),
      ...runs.flatMap(([run]) => endRun(run, id, world)),
      ...following(id, letGo(id, world)),
    ];
  }

  /** What a machine wants done when it goes off. One that fails at that wants nothing. */
  #leaving(rule: RuleState, run: RuleRun, world: World): readonly Command[] {
    const entry = this.#catalogue.entry(rule.config.configType);
    const each = parseRunId(run.id).each;
    try {
      const snapshot = entry && this.#snapshotOf(run, entry);
      if (entry === undefined || snapshot === undefined) return [];
      const { template, machine } = entry;
      const device = each === undefined ? undefined : world.get("device", each);
      const view = new View(world, template, rule, placeIn(world), device);
      return commandsOf(step(machine, snapshot, { type: "rule.off", view }).effects, rule, template);
    } catch {
      return [];
    }
  }

  /** @param isAnew the rule's machines begin anew, whatever stands in the world. */
  #stepAll({ rule, entry, stimuli }: Heard, world: World, isAnew = false): readonly Following[] {
    const { each } = entry.template;
    if (!rule.is_on && stimuli.every(({ type }) => type !== "rule.off")) return [];
    if (each === undefined) return this.#stepRun(rule, entry, undefined, stimuli, world, isAnew);
    const { inputs, outputs } = rule.config;
    return (inputs[each] ?? outputs[each] ?? []).flatMap((device) => {
      const own = stimuli.filter((stimulus) => stimulus.each === undefined || stimulus.each === device);
      return own.length === 0 ? [] : this.#stepRun(rule, entry, device, own, world, isAnew);
    });
  }

  #stepRun(
    rule: RuleState,
    entry: CatalogueEntry,
    each: string | undefined,
    stimuli: readonly RawStimulus[],
    world: World,
    isAnew: boolean,
  ): readonly Following[] {
    const { template, machine } = entry;
    const id = runId({ rule: rule.id, ...(each !== undefined && { each }) });
    const run = isAnew ? undefined : world.get("ruleRun", id);
    const device = each === undefined ? undefined : world.get("device", each);
    const place = placeIn(world);
    const commands: Command[] = [];
    const wanted: Command[] = [];
    let snapshot: AnyMachineSnapshot;
    try {
      const known = run && this.#snapshotOf(run, entry);
      const isLost = run !== undefined && known === undefined;
      if (isLost) commands.push(...timersLost(id, world), alarmAbout(rule, "RULE_BEGAN_ANEW"));
      snapshot = known ?? machine.initial;
      const first = snapshot;
      const steps = known === undefined ? fromTheBeginning(rule, stimuli) : stimuli;
      for (const stimulus of steps) {
        const { type, change, isSkipped } = stimulus;
        const view = new View(world, template, rule, place, device, change, this.#startedAt);
        const stepped = step(machine, snapshot, { type, view });
        commands.push(...timersOf(stepped, template, id));
        if (!isSkipped) wanted.push(...commandsOf(stepped.effects, rule, template));
        commands.push(...this.#timeOf(type, template, id, view, stepped.snapshot));
        snapshot = stepped.snapshot;
      }
      if (this.#isTooMuch(id, template, wanted, world.now))
        return this.#stop(rule, "too many commands", world);
      const isNoted = snapshot !== first || isLost || (run?.faults ?? 0) > 0;
      if (!isNoted) return following(rule.id, [...commands, ...wanted]);
      const { value, context } = standing(snapshot);
      if (typeof value === "object" && value !== null) this.#snapshots.set(value, snapshot);
      const { version: templateVersion } = template;
      const noted: Command =
        value === "off"
          ? ({ type: "END_RUN", id } as Command)
          : ({ type: "NOTE_STEPPED", id, rule: rule.id, templateVersion, value, context } as Command);
      // Of a machine that was lost nobody knows what it held.
      const freed = isIdle(snapshot) && (isLost || !isIdle(first)) ? freeOutputs(rule) : [];
      return following(rule.id, [noted, ...commands, ...wanted, ...freed]);
    } catch (error) {
      return this.#faulted(rule, id, run, error as Error, world);
    }
  }

  /** Undefined when the machine has to begin anew, as its template has changed. */
  #snapshotOf(run: RuleRun, { template, machine }: CatalogueEntry): AnyMachineSnapshot | undefined {
    const { value, context, templateVersion: version } = run;
    const isKnown = typeof value === "object" && value !== null;
    const known = isKnown ? this.#snapshots.get(value) : undefined;
    if (known !== undefined) return known;
    try {
      const older = version < template.version ? template.migrate?.({ version, value, context }) : undefined;
      const stands = version === template.version ? run : older;
      if (stands === undefined) return undefined;
      const snapshot = resolve(machine, stands as { value: unknown; context: Record<string, unknown> });
      if (isKnown && stands === run) this.#snapshots.set(value, snapshot);
      return snapshot;
    } catch {
      return undefined;
    }
  }

  /** What is about safety is never held back. */
  #isTooMuch(run: string, template: Template, wanted: readonly Command[], now: number): boolean {
    const { class: of, atMostPerMinute: most = limits.ruleFiringsPerMinute } = template;
    return wanted.some(isFiring) && of !== "SAFETY" && this.#firings.note(run, most, now);
  }

  /** The timer of the next edge of the rule's time ranges. */
  #timeOf(
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

  #faulted(
    rule: RuleState,
    id: string,
    run: RuleRun | undefined,
    { message }: Error,
    world: World,
  ): readonly Following[] {
    const noted = following(rule.id, [{ type: "NOTE_FAULT", id, rule: rule.id, reason: message } as Command]);
    // It is off, whatever its machine says of that.
    if (!rule.is_on) return [...noted, ...this.#ended(rule.id, world)];
    // A machine that cannot even begin will not do better next time.
    if ((run?.faults ?? limits.ruleFaults) + 1 < limits.ruleFaults) return noted;
    return [...noted, ...this.#stop(rule, "faults", world)];
  }
}

/** What may change when the next edge of a rule's time ranges is. */
const rearming: ReadonlySet<string> = new Set(["rule.on", "rule.off", "time", "zone"]);

function isFiring({ type }: Command): boolean {
  return type === "DRIVE" || type.startsWith("CMD_SCENE");
}

/** For a machine that does not run: while its rule is on it begins, as if that had just been turned on. */
function fromTheBeginning({ is_on }: RuleState, stimuli: readonly RawStimulus[]): readonly RawStimulus[] {
  if (!is_on || stimuli.some(({ type }) => type === "rule.on")) return stimuli;
  // Timers that the machine did not set itself mean nothing to it.
  return [{ type: "rule.on" }, ...stimuli.filter(({ type }) => !type.startsWith("xstate."))];
}

function alarmAbout({ id, config: { name } }: RuleState, kind: AlarmKind, facts: AlarmFacts = {}): Command {
  return { type: "RAISE_ALARM", kind, sourceId: id, name, facts } as Command;
}

function following(rule: string, commands: readonly Command[]): readonly Following[] {
  const origin = isScheduled(rule) ? "clock" : (`rule:${rule}` as const);
  return commands.map((command) => ({ command, origin }));
}

function endRun(run: string, rule: string, world: World): readonly Following[] {
  return following(rule, [{ type: "END_RUN", id: run } as Command, ...timersLost(run, world)]);
}

function timersLost(run: string, world: World): readonly Command[] {
  const timers = [...world.all("timer")].filter(([id]) => isTimerOf(run, id));
  return timers.map(([id]) => ({ type: "CANCEL_TIMER", id }) as Command);
}

/** What a rule holds is free again. */
function letGo(rule: string, world: World): readonly Command[] {
  const by = `rule:${rule}`;
  return [...world.all("output")]
    .filter(([, { holds }]) =>
      Object.values(holds).some((hold) => hold.by === by || hold.also?.includes(by) === true),
    )
    .map(([id]) => ({ type: "RELEASE_OUTPUT", id, by }) as Command);
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

const nowhere = { timezone: "UTC", location: null };

function placeIn(world: Pick<World, "all">): Place {
  for (const [, hub] of world.all("hub")) return placeOf(hub);
  return placeOf(nowhere);
}

/** The delay of a timer: its name is `xstate.after.<delay>.<state>`. */
function delayOf(name: string): string {
  return name.split(".")[2] ?? "";
}
