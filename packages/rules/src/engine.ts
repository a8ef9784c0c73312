import type { AnyMachineSnapshot } from "xstate";
import type { Command, Following, LoggedEvent, Reaction, RuleRun, RuleState, World } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Catalogue, CatalogueEntry } from "./catalogue.ts";
import { Firings } from "./firings.ts";
import { holding } from "./holding.ts";
import { commandsOf } from "./commands.ts";
import { RuleIndex } from "./rule-index.ts";
import { isTimerOf, runId, timerId } from "./run-id.ts";
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
    return [holding(this.#index), this.#stepping];
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
      case "DeviceRemoved":
        return [...world.all("ruleRun")]
          .filter(([run]) => run.endsWith(`/${id}`))
          .flatMap(([run, { rule }]) => endRun(run, rule, world));
      default:
        return whoHears(event, world, this.#catalogue, this.#index).flatMap((found) =>
          this.#stepAll(found, world),
        );
    }
  }

  /** What a rule does has come back to it: it is stopped, as it would go on for ever. */
  #cutShort(event: LoggedEvent, world: World): readonly Command[] {
    if (event.type !== "DeviceReported") return [];
    this.#index.build(world);
    return whoHears(event, world, this.#catalogue, this.#index)
      .filter(({ rule }) => rule.is_on)
      .flatMap(({ rule }) => this.#stop(rule, "loop", world).map(({ command }) => command));
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
    const { id } = rule;
    const alarm = { type: "RAISE_ALARM", kind: "RULE_STOPPED", sourceId: id, name: rule.config.name };
    return [
      ...following(id, [
        { type: "STOP_RULE", id, reason } as Command,
        { ...alarm, facts: { reason } } as Command,
      ]),
      ...this.#ended(id, world),
    ];
  }

  #ended(rule: string, world: World): readonly Following[] {
    return [...world.all("ruleRun")]
      .filter(([, run]) => run.rule === rule)
      .flatMap(([id]) => endRun(id, rule, world));
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
      snapshot = known ?? machine.initial;
      const first = snapshot;
      const begins = run !== undefined && known === undefined;
      const steps: readonly RawStimulus[] = begins ? [{ type: "rule.on" }, ...stimuli] : stimuli;
      for (const stimulus of steps) {
        const { type, change } = stimulus;
        const view = new View(world, template, rule, place, device, change, this.#startedAt);
        const stepped = step(machine, snapshot, { type, view });
        commands.push(...timersOf(stepped, template, id));
        wanted.push(...commandsOf(stepped.effects, rule, template));
        commands.push(...this.#timeOf(type, template, id, view, stepped.snapshot));
        snapshot = stepped.snapshot;
      }
      if (this.#isTooMuch(id, template, wanted, world.now))
        return this.#stop(rule, "too many commands", world);
      if (snapshot === first) return following(rule.id, [...commands, ...wanted]);
      const { value, context } = standing(snapshot);
      if (typeof value === "object" && value !== null) this.#snapshots.set(value, snapshot);
      const { version: templateVersion } = template;
      const noted: Command =
        value === "off"
          ? ({ type: "END_RUN", id } as Command)
          : ({ type: "NOTE_STEPPED", id, rule: rule.id, templateVersion, value, context } as Command);
      const freed = isIdle(snapshot) && !isIdle(first) ? freeOutputs(rule) : [];
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
    const stands = version === template.version ? run : template.migrate?.({ version, value, context });
    if (stands === undefined) return undefined;
    const snapshot = resolve(machine, stands as { value: unknown; context: Record<string, unknown> });
    if (isKnown && stands === run) this.#snapshots.set(value, snapshot);
    return snapshot;
  }

  /** What is about safety is never held back. */
  #isTooMuch(run: string, template: Template, wanted: readonly Command[], now: number): boolean {
    const { class: of, atMostPerMinute: most = limits.ruleFiringsPerMinute } = template;
    const isFiring = wanted.some(({ type }) => type === "DRIVE" || type.startsWith("CMD_SCENE"));
    return isFiring && of !== "SAFETY" && this.#firings.note(run, most, now);
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
    // A machine that cannot even begin will not do better next time.
    if ((run?.faults ?? limits.ruleFaults) + 1 < limits.ruleFaults) return noted;
    return [...noted, ...this.#stop(rule, "faults", world)];
  }
}

/** What may change when the next edge of a rule's time ranges is. */
const rearming: ReadonlySet<string> = new Set(["rule.on", "rule.off", "time", "zone"]);

function following(rule: string, commands: readonly Command[]): readonly Following[] {
  const origin = isScheduled(rule) ? "clock" : (`rule:${rule}` as const);
  return commands.map((command) => ({ command, origin }));
}

function endRun(run: string, rule: string, world: World): readonly Following[] {
  const timers = [...world.all("timer")].filter(([id]) => isTimerOf(run, id));
  const cancelled = timers.map(([id]) => ({ type: "CANCEL_TIMER", id }) as Command);
  return following(rule, [{ type: "END_RUN", id: run } as Command, ...cancelled]);
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
