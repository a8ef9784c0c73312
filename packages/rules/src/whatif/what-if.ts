import type {
  Cause,
  Command,
  Commit,
  Device,
  EventRef,
  Hold,
  LoggedEvent,
  RuleConfig,
  Timer,
  Wish,
  Continuation,
  Happened,
} from "@ledge/model";
import { eventRef, idsOf, indexIn, isSameValue, limits, ruleIn, shownIn } from "@ledge/model";
import { withMembers } from "../engine/members.ts";
import { parseRunId, parseTimerId } from "../engine/run-id.ts";
import type { Ranked } from "../engine/stimuli.ts";
import { byRank } from "../engine/stimuli.ts";
import type { OpenTrial, Trial, WhatIfOf } from "./trial.ts";
import { LeftOut } from "./left-out.ts";
import type { Because, WhatIfAnswer } from "./outcome.ts";
import { Findings } from "./outcome.ts";
import { UnderTest } from "./under-test.ts";

const byItself = { version: 1, origin: "system", depth: 0 } as const;

/** How many commits and due timers to take between two checks of the time budget. */
const stride = 64;

/**
 * Returns what rules would have done, had they been there. The rules hear the recorded events in order, and
 * their timers come due in between. What the replaced rules did is left out. Devices carry out the tried
 * commands at once and show the result until the recording says otherwise. Every other rule does what it did.
 * @param open opens the home as of `from`, with reactions
 * @param commits the recording after `from` up to `to`, in order
 * @throws EvolveError, and what a decider throws; a machine that throws is a fault in the answer
 */
export function whatIf(of: WhatIfOf, open: OpenTrial, commits: Iterable<Commit>): WhatIfAnswer {
  const trial = new WhatIf(of, open);
  for (const commit of commits) if (!trial.hear(commit)) break;
  return trial.end();
}

/** A `whatIf` that is fed commit by commit, so that several trials can share one reading of the log. */
export class WhatIf {
  readonly #of: WhatIfOf;
  readonly #under: UnderTest;
  readonly #home: Trial;
  readonly #leftOut: LeftOut;
  readonly #findings: Findings;
  /** The tried rule for each replaced one, by the replaced rule's id. */
  readonly #places = new Map<string, string>();
  /** What has happened since the last recorded event or timer, by reference. */
  readonly #lately = new Map<string, LoggedEvent>();
  /** What rules do at the newest event: others that heard it may have to act before them. */
  #waiting: Continuation[] = [];
  /** Commands that devices have not yet carried out. */
  readonly #underWay: Happened[] = [];
  /** The event that set each timer. */
  readonly #setAt = new Map<string, Because>();
  #count = 0;

  /** How far the trial has come (ms). */
  #reached: number;
  #isOut = false;
  /** Whether one of the tried rules exists yet; before that they cannot be held back. */
  #isThere = false;

  constructor(of: WhatIfOf, open: OpenTrial) {
    this.#of = of;
    this.#under = new UnderTest(of.rules, of.customRules ?? [], of.catalogue, of.reactions);
    const home = open(this.#under.reactions);
    this.#home = home;
    this.#findings = new Findings(this.#under);
    this.#leftOut = new LeftOut(new Set([...of.replaces, ...of.rules.map(({ id }) => id)]));
    const [replaced, ...more] = of.replaces;
    for (const { id } of of.rules) {
      const isOne = replaced !== undefined && more.length === 0;
      const place = home.get("rule", id) === undefined && isOne ? replaced : id;
      this.#places.set(place, id);
    }
    this.#reached = of.from;
    this.#begin();
  }

  /**
   * Replays a commit.
   * @returns whether there is time for more
   */
  hear(commit: Commit): boolean {
    this.#passTo(commit.timestamp - 1 - limits.whatIfLeadMs);
    if (!this.#isOut && !this.#isOver()) this.#hear(commit);
    return !this.#isOut;
  }

  /** Ends the recording and returns the answer. */
  end(): WhatIfAnswer {
    const { from, to } = this.#of;
    if (!this.#isOut) this.#passTo(to);
    return this.#findings.answer(from, to, this.#isOut ? this.#reached : undefined);
  }

  #begin(): void {
    const { rules, replaces, from, on = "always" } = this.#of;
    const home = this.#home;
    for (const rule of this.#of.customRules ?? []) home.put("customRule", rule.id, rule);
    const places = new Map([...this.#places].map(([place, id]) => [id, home.get("rule", place)]));
    for (const id of replaces) {
      this.#forget(id);
      home.put("rule", id, undefined);
    }
    for (const config of rules) {
      const { id } = config;
      const known = home.get("rule", id);
      const { scenes = [], is_on: wasOn = false, createdAt = from } = places.get(id) ?? {};
      const isOn = on === "always" || wasOn;
      this.#isThere ||= on === "always" || places.get(id) !== undefined;
      const goesOn = isOn && known?.is_on === true && isSameConfig(config, this.#resolved(known.config));
      if (goesOn) this.#inherit(id);
      else this.#forget(id);
      home.put("rule", id, { id, is_on: goesOn, scenes, timers: [], config, createdAt });
      if (isOn && !goesOn) this.#turn(id, true, from);
    }
  }

  /** Returns a CONFIG with the members of its groups, as a rule works with it. */
  #resolved(config: RuleConfig): RuleConfig {
    return withMembers(config, this.#of.catalogue.template(config.configType, this.#home), this.#home);
  }

  /** A rule that is tried as it was continues from where it was. */
  #inherit(rule: string): void {
    for (const [id, timer] of this.#home.all("timer")) {
      if (parseTimerId(id)?.rule === rule) this.#home.arm(timer);
    }
  }

  /** Removes all state of a rule. */
  #forget(rule: string): void {
    const home = this.#home;
    const by = `rule:${rule}`;
    const runs = idsOf("ruleRun", home).filter((id) => parseRunId(id).rule === rule);
    for (const id of runs) home.put("ruleRun", id, undefined);
    const timers = idsOf("timer", home).filter((id) => parseTimerId(id)?.rule === rule);
    for (const id of timers) home.put("timer", id, undefined);
    for (const id of idsOf("output", home)) {
      const { holds = {}, wishes = {} } = home.get("output", id) ?? {};
      const left = Object.entries(holds).filter(([, hold]) => hold.by !== by);
      const { [rule]: own, ...others } = wishes;
      if (left.length === Object.keys(holds).length && own === undefined) continue;
      const isNothing = left.length === 0 && Object.keys(others).length === 0;
      const output = { id, holds: Object.fromEntries(left), wishes: others };
      home.put("output", id, isNothing ? undefined : output);
    }
  }

  /** Turns a rule on or off. */
  #turn(id: string, isOn: boolean, at: number): void {
    if (this.#home.get("rule", id)?.is_on === isOn) return;
    const event = isOn
      ? { type: "RuleTurnedOn", id, scene: null, ...byItself }
      : { type: "RuleTurnedOff", id, ...byItself };
    this.#lately.clear();
    this.#follow(this.#home.carryOn(this.#home.witness(event, at, 0), at), at);
    this.#settle(at);
  }

  /** Lets timers come due up to `until` (ms). */
  #passTo(until: number): void {
    for (let due = this.#home.nextDue(until); due !== undefined; due = this.#home.nextDue(until)) {
      this.#reached = Math.max(this.#reached, due.due);
      if (this.#isOver()) {
        this.#reached -= 1;
        return;
      }
      this.#fire(due, this.#reached);
    }
    this.#reached = Math.max(this.#reached, until);
  }

  #fire({ id, generation }: Timer, now: number): void {
    const fire = { type: "FIRE_TIMER", id, generation, lateMs: 0 } as Command;
    this.#lately.clear();
    this.#follow(this.#home.decide([fire], { origin: "clock" }, now), now);
    this.#settle(now);
  }

  #hear(commit: Commit): void {
    const { timestamp, events } = commit;
    for (const [place, event] of events.entries()) {
      const index = indexIn(commit, place);
      const isLeftOut = this.#leftOut.takes(event, eventRef(timestamp, index));
      this.#giveWay(event, isLeftOut, timestamp);
      if (isLeftOut) this.#leaveOut(event, timestamp);
      else this.#take(event, timestamp, index);
    }
    this.#carryOn(this.#waiting.splice(0), timestamp);
    this.#settle(timestamp);
    this.#reached = timestamp;
  }

  /**
   * Lets rules that heard the same event act in order of rank, recorded and tried ones alike. A rule that
   * takes another's place acts where that one did.
   */
  #giveWay({ origin, cause }: LoggedEvent, isLeftOut: boolean, at: number): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    const isSame = cause !== undefined && cause === waiting[0]?.chain.cause;
    const acting = ruleIn(origin);
    if (isSame && acting === undefined) return;
    const own = isLeftOut ? this.#places.get(acting ?? "") : undefined;
    const last = !isSame
      ? waiting.length
      : own === undefined
        ? waiting.findLastIndex(({ chain }) => this.#ranksBefore(ruleIn(chain.origin) ?? "", acting ?? "")) +
          1
        : waiting.findLastIndex(({ chain }) => ruleIn(chain.origin) === own) + 1;
    this.#carryOn(waiting.splice(0, last), at);
  }

  #ranksBefore(one: string, other: string): boolean {
    const [a, b] = [this.#ranked(one), this.#ranked(other)];
    return a !== undefined && b !== undefined && byRank(a, b) < 0;
  }

  #ranked(id: string): Ranked | undefined {
    const rule = this.#home.get("rule", id);
    const template = rule && this.#of.catalogue.template(rule.config.configType, this.#home);
    return template && { rule, entry: { template } };
  }

  #carryOn(following: readonly Continuation[], at: number): void {
    this.#follow(this.#home.carryOn(following, at), at);
  }

  #isOver(): boolean {
    this.#isOut ||= this.#count++ % stride === 0 && this.#of.isOver();
    return this.#isOut;
  }

  #leaveOut(event: LoggedEvent, at: number): void {
    this.#findings.noteBefore(event, at);
    if (event.type === "TimerFired") {
      // Timers that come due at the same instant keep the recorded order.
      const timer = this.#home.get("timer", event.id);
      if (timer !== undefined && timer.due <= at) this.#fire(timer, at);
      return;
    }
    const id = this.#places.get(event.id);
    if (id === undefined || this.#of.on !== "recorded") return;
    this.#isThere = true;
    if (event.type === "RuleTurnedOn") this.#turn(id, true, at);
    const isOff = event.type === "RuleTurnedOff" || event.type === "RuleStopped";
    if (isOff || event.type === "RuleRemoved") this.#turn(id, false, at);
  }

  #take(recorded: LoggedEvent, at: number, index: number): void {
    const isOther = this.#isThere && this.#under.drives(recorded.id);
    const event = isOther ? this.#asItIsHere(recorded) : recorded;
    const how = event === undefined ? "skip" : this.#isThere ? this.#under.take(event) : "copy";
    if (event === undefined || how === "skip" || ofCustomRules.has(event.type)) return;
    if (how === "copy") {
      this.#home.copy(event, at);
      return;
    }
    this.#carryOn(this.#waiting.splice(0), at);
    this.#lately.clear();
    this.#lately.set(eventRef(at, index), event);
    const following = this.#under.during(event, () => this.#home.witness(event, at, index));
    this.#noteShown(event, false, at);
    // Holds are settled before rules act.
    const [first, then] = [true, false].map((isHold) =>
      following.filter(({ command }) => isOfHolds.has(command.type) === isHold),
    );
    this.#carryOn(first ?? [], at);
    this.#waiting = then ?? [];
  }

  /**
   * Returns a recorded event of a device that the trial drives, as it applies here; undefined when nothing of
   * it does.
   */
  #asItIsHere(event: LoggedEvent): LoggedEvent | undefined {
    const home = this.#home;
    if (event.type === "DeviceReported") {
      const { attributes } = event as LoggedEvent & Told;
      const { state = {} } = home.get("device", event.id) ?? {};
      const news = Object.entries(attributes).filter(
        ([name, value]) => !isSameValue(value, shownIn(state, name)),
      );
      if (news.length === Object.keys(attributes).length) return event;
      return news.length === 0
        ? undefined
        : ({ ...event, attributes: Object.fromEntries(news) } as LoggedEvent);
    }
    if (event.type === "OutputWished") return this.#wishedHere(event);
    if (event.type !== "OutputHeld") return event;
    // The trial works out holds by itself, except those of rules that it does not try.
    const { holds } = event as LoggedEvent & { holds: Readonly<Record<string, Hold>> };
    const own = Object.entries(home.get("output", event.id)?.holds ?? {});
    const kept = own.filter(([, hold]) => !this.#isOfOthers(hold));
    const theirs = Object.entries(holds).filter(([, hold]) => this.#isOfOthers(hold));
    return { ...event, holds: Object.fromEntries([...kept, ...theirs]) } as LoggedEvent;
  }

  /** The trial works out the wishes of its own rules by itself. */
  #wishedHere(event: LoggedEvent): LoggedEvent {
    const { wishes } = event as LoggedEvent & { wishes: Readonly<Record<string, Wish>> };
    const own = Object.entries(this.#home.get("output", event.id)?.wishes ?? {});
    const kept = own.filter(([rule]) => this.#under.has(rule));
    const theirs = Object.entries(wishes).filter(([rule]) => !this.#under.has(rule));
    return { ...event, wishes: Object.fromEntries([...kept, ...theirs]) } as LoggedEvent;
  }

  #isOfOthers({ class: of, by }: Hold): boolean {
    return of === "SAFETY" && !this.#under.has(ruleIn(by) ?? "");
  }

  /** Handles the events that the trial caused. */
  #follow(happened: readonly Happened[], at: number): void {
    for (const one of happened) {
      const { ref, event } = one;
      this.#lately.set(ref, event);
      this.#findings.note(event, at, ({ cause }) => this.#because(cause));
      if (event.type === "TimerSet") this.#setAt.set(event.id, this.#because(event.cause));
      this.#noteShown(event, true, at);
      if (event.type === "CommandIssued") this.#underWay.push(one);
    }
  }

  /** Devices carry out their commands and report it. */
  #settle(at: number): void {
    for (let next = this.#underWay.shift(); next !== undefined; next = this.#underWay.shift()) {
      const { ref, event } = next;
      const { device, attributes } = event as LoggedEvent & Told;
      const { origin, root, cause, depth } = event;
      const report = { type: "REPORT_DEVICE", id: device, attributes, at };
      const done = { type: "NOTE_COMMAND_DONE", id: event.id };
      const chain = { origin, cause: ref, root: root ?? cause ?? ref, depth: depth + 1 };
      this.#follow(this.#home.decide([report, done], chain, at), at);
    }
  }

  #noteShown(event: LoggedEvent, isOurs: boolean, at: number): void {
    if (event.type !== "DeviceReported" && event.type !== "DeviceRemoved") return;
    if (!isOurs && !this.#under.drives(event.id)) return;
    const device: Device | undefined = this.#home.get("device", event.id);
    this.#findings.noteShown(event.id, device?.state["isOn"] === true, isOurs, at);
  }

  #because(cause: Cause | undefined): Because {
    const event = cause === undefined ? undefined : this.#lately.get(cause);
    if (event === undefined) return { ref: null, event: "RuleTurnedOn" };
    const ref = cause as EventRef;
    const { type, id } = event;
    switch (type) {
      case "TimerFired":
      case "TimerSkipped": {
        const set = this.#setAt.get(id) ?? { ref: null };
        return { ...set, event: type, timer: parseTimerId(id)?.name ?? id };
      }
      case "DeviceReported": {
        const { attributes } = event as LoggedEvent & Told;
        const names = Object.keys(attributes);
        const attribute = names.find((name) => this.#under.hears(id, name)) ?? names[0] ?? "";
        return { ref, event: type, device: id, attribute, value: attributes[attribute] };
      }
      case "SceneTurnedOn":
      case "SceneTurnedOff":
      case "CommandIssued":
        return this.#because(event.cause);
      case "RuleTurnedOn":
      case "RuleTurnedOff":
        return { ref: null, event: type };
      default:
        return { ref, event: type };
    }
  }
}

interface Told {
  readonly device: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Commands that set or release holds. */
const isOfHolds: ReadonlySet<string> = new Set(["HOLD_OUTPUT", "RELEASE_OUTPUT"]);

/** Rules that are not tried do not run, and those that are tried do not change. */
const ofCustomRules: ReadonlySet<string> = new Set(["CustomRuleInstalled", "CustomRuleRemoved"]);

function isSameConfig(one: RuleConfig, other: RuleConfig): boolean {
  return isSameValue(
    [one.configType, one.inputs, one.outputs, one.extras],
    [other.configType, other.inputs, other.outputs, other.extras],
  );
}
