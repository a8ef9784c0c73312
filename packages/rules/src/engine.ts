import type {
  AlarmFacts,
  AlarmKind,
  Command,
  Following,
  LoggedEvent,
  Reaction,
  RuleConfig,
  RuleRun,
  RuleState,
  RuleStopReason,
  World,
} from "@ledge/model";
import { limits, sceneIn } from "@ledge/model";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { Effort } from "./custom/effort.ts";
import { goesOn } from "./custom/going-on.ts";
import { Firings } from "./engine/firings.ts";
import { holding } from "./engine/holding.ts";
import { lapsing } from "./engine/lapsing.ts";
import { atWork, groupsIn } from "./engine/members.ts";
import type { MachineOf } from "./engine/machines.ts";
import { Machines } from "./engine/machines.ts";
import { groupTopic, RuleIndex } from "./engine/rule-index.ts";
import { parseRunId, parseTimerId, runId } from "./engine/run-id.ts";
import { isScheduled, ruleOf, ruleScheduleId, sceneScheduleId } from "./engine/scheduled.ts";
import type { Heard, RawStimulus } from "./engine/stimuli.ts";
import { heardEvents, whoHears } from "./engine/stimuli.ts";
import type { Template } from "./catalogue/template.ts";

/** Runs rules as reactions of the kernel. Its memory is a cache that can be rebuilt from the states at any time. */
export class RuleEngine {
  readonly #catalogue: Catalogue;
  readonly #index: RuleIndex;
  readonly #firings = new Firings();
  /** Counts steps of custom rules that their timers cause. */
  readonly #ticks = new Firings();
  readonly #effort = new Effort();
  readonly #machines = new Machines();

  constructor(catalogue: Catalogue, index: RuleIndex = new RuleIndex(catalogue)) {
    this.#catalogue = catalogue;
    this.#index = index;
  }

  /** Steps the machines that an event concerns. All see the same world; their commands follow the event. */
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
      "GroupMembersChanged",
      "CustomRuleInstalled",
    ],
    react: (event, world) => this.#react(event as LoggedEvent, world),
    cutShort: (event, world) => this.#cutShort(event as LoggedEvent, world),
  };

  /** In the order in which they follow an event. */
  get reactions(): readonly Reaction[] {
    return [holding(this.#index, this.#catalogue), lapsing(this.#index, this.#catalogue), this.#stepping];
  }

  #react(event: LoggedEvent, world: World): readonly Following[] {
    this.#machines.heard(world.now);
    this.#index.build(world);
    const { type, id } = event;
    switch (type) {
      case "RuleCreated":
      case "RuleConfigured":
        return this.#configured(id, world);
      case "SceneCreated":
      case "SceneTimesChanged":
      case "SceneRemoved":
        return this.#reschedule(sceneScheduleId(id), world);
      case "RuleOnConfigured":
        return this.#reschedule(ruleScheduleId(id), world);
      case "RuleRemoved":
        return [...this.#ended(id, world), ...this.#reschedule(ruleScheduleId(id), world)];
      case "DeviceRemoved":
        return [...this.#withoutMachineOf(id, world), ...this.#heard(event, world)];
      case "GroupMembersChanged":
        return this.#regrouped(id, world);
      case "CustomRuleInstalled":
        return this.#reinstalled(id, world);
      default:
        return this.#heard(event, world);
    }
  }

  /**
   * Restarts a rule when it works with something new. A new name, or a device that no longer exists, does not
   * restart it.
   */
  #configured(id: string, world: World): readonly Following[] {
    const rule = world.get("rule", id);
    if (rule === undefined) return [];
    this.#index.add(rule, world);
    const before = world.before.get("rule", id);
    return before === undefined ? [] : this.#restartUnlessSame(before, rule, world);
  }

  /** A rule works with the members of its groups. */
  #regrouped(group: string, world: World): readonly Following[] {
    const rules = [...this.#index.about(groupTopic(group))].flatMap((id) => world.get("rule", id) ?? []);
    return rules.toSorted(byAge).flatMap((rule) => {
      if (!groupsIn(rule.config, world).includes(group)) return [];
      this.#index.add(rule, world);
      return this.#restartUnlessSame(rule, rule, world);
    });
  }

  #restartUnlessSame(before: RuleState, rule: RuleState, world: World): readonly Following[] {
    const [then, now] = [atWork(before, world.before, this.#catalogue), atWork(rule, world, this.#catalogue)];
    return worksWith(then, world) === worksWith(now, world) ? [] : this.#restart(now, world);
  }

  /** Rules of a custom template go on if its next version has their present state; otherwise they restart. */
  #reinstalled(configType: string, world: World): readonly Following[] {
    const before = this.#catalogue.template(configType, world.before);
    const after = this.#catalogue.template(configType, world);
    return [...world.all("rule")].flatMap(([, rule]) => {
      if (rule.config.configType !== configType) return [];
      this.#index.add(rule, world);
      const run = world.get("ruleRun", rule.id);
      const isSame = run && before && after && goesOn(before, after, run.value);
      return isSame ? [] : this.#restart(atWork(rule, world, this.#catalogue), world);
    });
  }

  /** A removed device has no machine of its own any more. */
  #withoutMachineOf(device: string, world: World): readonly Following[] {
    return [...this.#index.naming(device)].flatMap((rule) => {
      const run = runId({ rule, each: device });
      return world.get("ruleRun", run) === undefined ? [] : following(rule, endRuns([run], world));
    });
  }

  #heard(event: LoggedEvent, world: World): readonly Following[] {
    const found = whoHears(event, world, this.#catalogue, this.#index);
    return found.flatMap((heard) => this.#stepAll(heard, world));
  }

  /**
   * Ends a chain that is too deep: nothing follows this report. Rules that listen still hear it; a rule that
   * would command again is stopped, because its commands come back to it. A safety rule is not stopped: it
   * hears the next report.
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

  /** Restarts the rule that the hub makes of time ranges, or ends it when it is no longer needed. */
  #reschedule(id: string, world: World): readonly Following[] {
    const rule = ruleOf(id, world);
    if (rule === undefined) return this.#ended(id, world);
    this.#index.add(rule, world);
    return this.#restart(rule, world);
  }

  #restart(rule: RuleState, world: World): readonly Following[] {
    const ended = this.#ended(rule.id, world);
    const entry = this.#catalogue.entry(rule.config.configType, world);
    if (!rule.is_on || entry === undefined) return ended;
    return [...ended, ...this.#stepAll({ rule, entry, stimuli: [{ type: "rule.on" }] }, world, true)];
  }

  #stop(rule: RuleState, reason: RuleStopReason, world: World): readonly Following[] {
    const { id, config } = rule;
    const alarm = alarmAbout(rule, "RULE_STOPPED", { reason, rule: config.name });
    return [
      ...following(id, [{ type: "STOP_RULE", id, reason } as Command, alarm]),
      ...this.#ended(id, world),
    ];
  }

  /** Ends the machines of a rule as if it was turned off, and removes their state. */
  #ended(id: string, world: World): readonly Following[] {
    // With the CONFIG that they worked with, even if the rule has changed or is gone.
    const known = world.before.get("rule", id);
    const rule = known ? atWork(known, world.before, this.#catalogue) : ruleOf(id, world);
    const type = rule?.config.configType ?? "";
    const entry = this.#catalogue.entry(type, world.before) ?? this.#catalogue.entry(type, world);
    const runs = [...world.all("ruleRun")].flatMap(([, run]) => (run.rule === id ? [run] : []));
    const left = runs.flatMap((run): readonly Command[] => {
      this.#firings.forget(run.id);
      this.#ticks.forget(run.id);
      this.#effort.forget(run.id);
      if (rule === undefined || entry === undefined) return [];
      return this.#machines.leave({ rule, entry, each: parseRunId(run.id).each, run }, world);
    });
    const ids = runs.map((run) => run.id);
    return following(id, [...left, ...endRuns(ids, world), ...letGo(id, world)]);
  }

  /** @param isAnew restarts the rule's machines, whatever state they are in. */
  #stepAll({ rule, entry, stimuli }: Heard, world: World, isAnew = false): readonly Following[] {
    const { each } = entry.template;
    if (!rule.is_on && stimuli.every(({ type }) => type !== "rule.off")) return [];
    const runOf = (id: string): RuleRun | undefined => (isAnew ? undefined : world.get("ruleRun", id));
    if (each === undefined) return this.#stepRun({ rule, entry, each, run: runOf(rule.id) }, stimuli, world);
    const { inputs, outputs } = rule.config;
    return (inputs[each] ?? outputs[each] ?? []).flatMap((device) => {
      const own = stimuli.filter((stimulus) => stimulus.each === undefined || stimulus.each === device);
      if (own.length === 0) return [];
      const run = runOf(runId({ rule: rule.id, each: device }));
      return this.#stepRun({ rule, entry, each: device, run }, own, world);
    });
  }

  #stepRun(of: MachineOf, stimuli: readonly RawStimulus[], world: World): readonly Following[] {
    const { rule, entry, each, run } = of;
    const id = runId({ rule: rule.id, ...(each !== undefined && { each }) });
    try {
      const { isLost, own, wanted, freed, spent } = this.#machines.run(of, stimuli, world);
      if (this.#isTooMuch(id, entry.template, wanted, world.now))
        return this.#stop(rule, "too many commands", world);
      const effort = entry.template.custom ? this.#effort.note(id, spent) : "fine";
      if (effort === "stop" || this.#ticksTooOften(id, entry.template, stimuli, own, world.now))
        return this.#stop(rule, "too much work", world);
      const anew = isLost ? [...timersLost([id], world), alarmAbout(rule, "RULE_BEGAN_ANEW")] : [];
      const hard = effort === "warn" ? [alarmAbout(rule, "RULE_WORKS_HARD")] : [];
      return following(rule.id, [...anew, ...own, ...wanted, ...freed, ...hard]);
    } catch (error) {
      return this.#faulted(rule, id, run, error as Error, world);
    }
  }

  /** A safety rule is never limited. */
  #isTooMuch(run: string, template: Template, wanted: readonly Command[], now: number): boolean {
    const { class: of, atMostPerMinute: most = limits.ruleFiringsPerMinute } = template;
    return wanted.some(isCounted) && of !== "SAFETY" && this.#firings.note(run, most, now);
  }

  /** Each step and each timer that it sets goes into the log, whether or not it commands anything. */
  #ticksTooOften(
    run: string,
    { custom }: Template,
    stimuli: readonly RawStimulus[],
    own: readonly Command[],
    now: number,
  ): boolean {
    const isTick = custom === true && stimuli.some(({ type }) => type.startsWith("xstate.after"));
    if (!isTick) return false;
    const set = own.filter(({ type }) => type === "SET_TIMER").length;
    return this.#ticks.note(run, limits.ruleTimersPerMinute, now, Math.max(1, set));
  }

  #faulted(
    rule: RuleState,
    id: string,
    run: RuleRun | undefined,
    { message }: Error,
    world: World,
  ): readonly Following[] {
    const noted = following(rule.id, [{ type: "NOTE_FAULT", id, rule: rule.id, reason: message } as Command]);
    // The rule goes off, even though its machine failed at it.
    if (!rule.is_on) return [...noted, ...this.#ended(rule.id, world)];
    // A machine that fails at its start would fail again.
    if ((run?.faults ?? limits.ruleFaults) + 1 < limits.ruleFaults) return noted;
    return [...noted, ...this.#stop(rule, "faults", world)];
  }
}

function byAge(one: RuleState, other: RuleState): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

/** Returns what a rule's machines work with as a text to compare: existing devices and scenes, and values. */
function worksWith({ config: { inputs, outputs, extras } }: RuleState, world: World): string {
  const there = (fields: RuleConfig["inputs"]): readonly unknown[] =>
    Object.entries(fields).map(([field, ids]) => [
      field,
      ids.filter((id) => world.get("device", id) !== undefined),
    ]);
  const values = Object.entries(extras).map(([field, given]) => [
    field,
    given.filter((value) => {
      const scene = sceneIn(value);
      return scene === undefined || world.get("scene", scene) !== undefined;
    }),
  ]);
  return JSON.stringify([there(inputs), there(outputs), values]);
}

function isFiring({ type }: Command): boolean {
  return type === "DRIVE" || type.startsWith("CMD_SCENE");
}

/**
 * Returns whether a command counts towards the rule's limit; for a custom rule its log lines and notices
 * count too.
 */
function isCounted(command: Command): boolean {
  const { type, kind } = command as Command & { readonly kind?: string };
  return isFiring(command) || type === "NOTE_RULE_SAID" || kind === "CUSTOM_NOTICE";
}

function alarmAbout({ id, config: { name } }: RuleState, kind: AlarmKind, facts: AlarmFacts = {}): Command {
  return { type: "RAISE_ALARM", kind, sourceId: id, name, facts } as Command;
}

function following(rule: string, commands: readonly Command[]): readonly Following[] {
  const origin = isScheduled(rule) ? "clock" : (`rule:${rule}` as const);
  return commands.map((command) => ({ command, origin }));
}

function endRuns(runs: readonly string[], world: World): readonly Command[] {
  return [...runs.map((id) => ({ type: "END_RUN", id }) as Command), ...timersLost(runs, world)];
}

function timersLost(runs: readonly string[], world: World): readonly Command[] {
  if (runs.length === 0) return [];
  const lost = new Set(runs);
  const timers = [...world.all("timer")].filter(([id]) => {
    const of = parseTimerId(id);
    return of !== undefined && lost.has(runId(of));
  });
  return timers.map(([id]) => ({ type: "CANCEL_TIMER", id }) as Command);
}

/** Releases what a rule holds, and drops its wishes. */
function letGo(rule: string, world: World): readonly Command[] {
  const by = `rule:${rule}`;
  return [...world.all("output")]
    .filter(
      ([, { holds, wishes }]) =>
        wishes?.[rule] !== undefined ||
        Object.values(holds).some((hold) => hold.by === by || hold.also?.includes(by) === true),
    )
    .map(([id]) => ({ type: "RELEASE_OUTPUT", id, by }) as Command);
}
