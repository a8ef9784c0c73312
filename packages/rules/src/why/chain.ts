import type { EventRef, LoggedEvent, Timer } from "@ledge/model";
import { eventRef, indexIn, limits, parseEventRef, ruleIn } from "@ledge/model";
import { parseTimerId } from "../engine/run-id.ts";
import type { Placed, Recorded } from "./recorded.ts";
import { placedAt } from "./recorded.ts";

/** An event of a chain. */
export interface ChainLink extends Placed {
  /** Set when a rule acted: the rule, and the event that it heard. */
  readonly acting?: Acting;
}

export interface Acting {
  readonly rule: string;
  /** The reference of the event that it heard. */
  readonly trigger: EventRef;
}

/** A chain of causes, and why it ends. */
export interface Chain {
  /** Newest first. */
  readonly links: readonly ChainLink[];
  readonly end: "root" | "limit" | "gone";
}

/** Events that the commands of rules result in. */
const acts: ReadonlySet<string> = new Set([
  "CommandIssued",
  "CommandSuppressed",
  "SceneTurnedOn",
  "SceneTurnedOff",
  "RuleTurnedOn",
  "RuleTurnedOff",
  "RuleStopped",
  "AlarmRaised",
  "AlarmClosed",
]);
/** The prefix of a machine's timers; other timers belong to time ranges. */
const machineTimer = "xstate.";

/** Returns what led to an event, link by link. */
export function chainTo(first: EventRef, log: Recorded): Chain {
  const links: ChainLink[] = [];
  let ref: string | undefined = first;
  for (let left: number = limits.causeLinks; ref !== undefined; left--) {
    const placed: Placed | undefined = placedAt(log, ref);
    if (placed === undefined) return { links, end: "gone" };
    const { event } = placed;
    const { cause } = event;
    const acting = actingIn(placed);
    if (event.type === "TimerSet") {
      links.push({ ...placed, ...(acting && { acting }) });
    } else {
      links.push(placed);
      const step = acting && stepOf(acting, placed, log);
      if (acting !== undefined && step !== undefined) links.push({ ...step, acting });
    }
    if (event.type === "TimerFired" || event.type === "TimerSkipped") {
      const name = parseTimerId(event.id)?.name ?? "";
      if (!name.startsWith(machineTimer)) return { links, end: "root" };
      const set = setting(placed, log);
      if (set === undefined) return { links, end: "gone" };
      ref = set;
    } else {
      ref = cause !== undefined && parseEventRef(cause) !== undefined ? cause : undefined;
    }
    if (ref !== undefined && left === 0) return { links, end: "limit" };
  }
  return { links, end: "root" };
}

/** Returns the rule that caused an event, if one did. */
function actingIn({ event: { type, id, origin, cause } }: Placed): Acting | undefined {
  if (cause === undefined || parseEventRef(cause) === undefined) return undefined;
  const trigger = cause as EventRef;
  if (type === "TimerSet") {
    const timer = parseTimerId(id);
    return timer && { rule: timer.rule, trigger };
  }
  if (!acts.has(type)) return undefined;
  const rule = ruleIn(origin);
  return rule === undefined ? undefined : { rule, trigger };
}

/** Returns the rule's `RuleStepped`, or, when its state did not change, the event itself. */
function stepOf({ rule, trigger }: Acting, { ref, at, event }: Placed, log: Recorded): Placed | undefined {
  const commit = log.commit(at);
  for (const [place, step] of commit?.events.entries() ?? [])
    if (commit !== undefined && isStepOf(step, rule, trigger))
      return { ref: eventRef(at, indexIn(commit, place)), at, event: step };
  // An alarm may belong to another of the hub's own rules.
  return event.type.startsWith("Alarm") ? undefined : { ref, at, event };
}

function isStepOf(event: LoggedEvent, rule: string, trigger: EventRef): boolean {
  return (
    event.type === "RuleStepped" &&
    event.cause === trigger &&
    (event as LoggedEvent & { readonly rule: string }).rule === rule
  );
}

type TimerSet = LoggedEvent & Pick<Timer, "due" | "durationMs">;

/** Returns the event that set a timer which has ended; undefined when it is too far back. */
function setting({ at, ref, event }: Placed, log: Recorded): EventRef | undefined {
  const last = parseEventRef(ref);
  let until = at;
  let seen = 0;
  for (let spanMs = 60_000; until > 0 && seen < limits.whyTimerEvents; spanMs *= 4) {
    const after = Math.max(0, until - spanMs);
    let found: EventRef | undefined;
    for (const commit of log.commits(after, until)) {
      for (const [place, one] of commit.events.entries()) {
        seen++;
        const index = indexIn(commit, place);
        if (commit.timestamp === last?.timestamp && index >= last.index) break;
        if (one.type === "TimerSet" && one.id === event.id && (one as TimerSet).due <= at)
          found = eventRef(commit.timestamp, index);
      }
      if (seen > limits.whyTimerEvents) return undefined;
    }
    if (found !== undefined) return found;
    until = after;
  }
  return undefined;
}
