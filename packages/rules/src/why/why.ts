import type {
  AnyDecider,
  EventRef,
  Language,
  LoggedEvent,
  Reader,
  Rejection,
  RuleState,
  States,
  Why,
  WhyLink,
} from "@ledge/model";
import { aggregates, evolved, isExtra, isSameValue, limits, reject, shownIn } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { atWork, workingRule } from "../engine/members.ts";
import { allScheduled } from "../engine/scheduled.ts";
import type { Template } from "../catalogue/template.ts";
import { attemptsAt } from "./attempts.ts";
import type { ChainLink } from "./chain.ts";
import { chainTo } from "./chain.ts";
import type { MayName } from "./names.ts";
import { Names } from "./names.ts";
import { outcomeOf } from "./outcome.ts";
import { sentence } from "./readings.ts";
import type { Recorded } from "./recorded.ts";
import { isLater, placedAt } from "./recorded.ts";
import { isAsStepped, stateName, stepOf, traceAt } from "./step-told.ts";
import { Telling } from "./telling.ts";
import type { Traced } from "./trace.ts";
import { machinesOf, prepare, whyNot } from "./why-not.ts";

/** The question: why an attribute has its value, or, with `not`, why rules did nothing about it. */
export interface WhyQuestion {
  readonly id: string;
  readonly attribute?: string;
  readonly not?: boolean;
}

/** The user who asks. */
export interface WhyReader {
  readonly language: Language;
  /** Returns whether the user may know of an object. */
  readonly mayRead: (kind: keyof States, state: never) => boolean;
  readonly mayName: MayName;
}

/** The kinds of objects that can be asked about; their ids are unique across kinds. */
const kinds = ["device", "rule", "scene", "room", "group", "zone", "alarm", "hub", "user"] as const;
type Kind = (typeof kinds)[number];
/** The attributes that a question without an attribute is about. */
const standard: Readonly<Record<Kind, readonly string[]>> = {
  device: ["isOn", "motion", "open", "targetTemperature", "temperature", "reachable"],
  rule: ["is_on"],
  scene: ["isOn"],
  room: ["name"],
  group: ["name"],
  zone: ["name"],
  alarm: ["closed"],
  hub: ["name"],
  user: ["user_info.role"],
};

/** Answers a question about the home at `log.now`. */
export function why(
  { id, attribute: asked, not = false }: WhyQuestion,
  log: Recorded,
  catalogue: Catalogue,
  { language, mayRead, mayName }: WhyReader,
): Why | Rejection {
  const { home } = log;
  const kind = kinds.find((one) => {
    const state = home.get(one, id);
    return state !== undefined && mayRead(one, state as never);
  });
  const state = kind && home.get(kind, id);
  if (kind === undefined || state === undefined) return reject("not-found", `no object ${id}`, "id");
  if (not && kind !== "device" && kind !== "rule")
    return reject("invalid", "not=true is for rules and devices only", "id");
  const attribute = asked ?? standard[kind].find((name) => valueOf(state, name) !== undefined) ?? "name";
  const value = valueOf(state, attribute);
  if (value === undefined && (!not || asked !== undefined))
    return reject("not-found", `${id} has no ${attribute}`, "attribute");
  const telling = new Telling(new Names(home, mayName), language, templatesIn(home, catalogue));
  const object = telling.names.object(kind, id);
  const about = { type: "WHY", object, at: log.now } as const;
  if (not) return { ...about, attribute: null, value: null, ...notActing(kind, id, log, catalogue, telling) };
  const first = log.lastEvent(kind, id, attribute) ?? lastChange(kind, id, attribute, log);
  const nothing = { attempts: attempted(kind, id, attribute, first, log, telling), not: [], more: false };
  if (first === undefined) return { ...about, attribute, value, links: [], end: "never", ...nothing };
  return { ...about, attribute, value, ...causes(first, attribute, log, catalogue, telling), ...nothing };
}

/** Returns the commands that a device has not carried out. */
function attempted(
  kind: Kind,
  id: string,
  attribute: string,
  first: EventRef | undefined,
  log: Recorded,
  telling: Telling,
): WhyLink[] {
  if (kind !== "device") return [];
  return attemptsAt(id, attribute, first, log).map(({ issued, outcome, end }) => ({
    ...telling.link(issued),
    outcome: telling.outcome(outcome, end),
  }));
}

/** Returns the templates of all rules, by rule. */
function templatesIn(home: Reader, catalogue: Catalogue): ReadonlyMap<string, Template> {
  const rules = [...[...home.all("rule")].map(([, rule]) => rule), ...allScheduled(home)];
  return new Map(
    rules.flatMap(({ id, config }) => {
      const template = catalogue.template(config.configType, home);
      return template === undefined ? [] : [[id, template] as const];
    }),
  );
}

/**
 * Returns an attribute by its name, first from a device's state; a path such as `config.extras` reads deeper
 * values.
 */
function valueOf(state: object, attribute: string): unknown {
  const {
    state: shown,
    config,
    user_info: info,
  } = state as {
    readonly state?: Readonly<Record<string, unknown>>;
    readonly config?: object;
    readonly user_info?: { readonly user: object };
  };
  if (shown && isExtra(attribute)) return shownIn(shown, attribute);
  const path = attribute.split(".");
  for (const from of [shown, state, config, info, info?.user]) {
    let value: unknown = from;
    for (const name of path) {
      const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
      value = isThere ? (value as Record<string, unknown>)[name] : undefined;
    }
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Returns the configuration event that last changed an attribute, found by replaying the object's events. */
function lastChange(kind: Kind, id: string, attribute: string, log: Recorded): EventRef | undefined {
  const decider = aggregates.find((one) => one.kind === kind) as AnyDecider;
  let state: object | undefined;
  let last: EventRef | undefined;
  for (const { ref, at, event } of log.configuring(kind, id)) {
    const next = evolved(decider, state, event, at) as object | undefined;
    const [before, after] = [state, next].map((one) => one && valueOf(one, attribute));
    if (!isSameValue(before, after)) last = ref;
    state = next;
  }
  return last;
}

/** Returns the chain of causes, with what the rules have read. */
function causes(
  first: EventRef,
  attribute: string,
  log: Recorded,
  catalogue: Catalogue,
  telling: Telling,
): Pick<Why, "links" | "end"> {
  const { links, end } = chainTo(first, log);
  const outcomes = links.map((link) =>
    link.event.type === "CommandIssued" ? outcomeOf(link, log) : undefined,
  );
  // The past can only be read forwards.
  const traces = links.map(() => undefined as Traced | "gone" | undefined);
  for (const [index, link] of [...links.entries()].toReversed())
    traces[index] = traceOf(link, log, catalogue);
  const told = links.map((link, index): WhyLink => {
    const { acting, event } = link;
    const outcome = outcomes[index];
    const said =
      acting !== undefined
        ? ruleLink(link, traces[index], telling)
        : telling.link(link, index === 0 ? attribute : undefined);
    if (outcome === undefined || event.type !== "CommandIssued") return said;
    return { ...said, outcome: telling.outcome(outcome.outcome, outcome.placed) };
  });
  return { links: told, end };
}

function traceOf(link: ChainLink, log: Recorded, catalogue: Catalogue): Traced | "gone" | undefined {
  const { acting, event } = link;
  const trigger = acting && placedAt(log, acting.trigger);
  if (acting === undefined || trigger === undefined) return undefined;
  const run = event.type === "RuleStepped" ? event.id : undefined;
  return traceAt(trigger, acting.rule, run, log, catalogue);
}

function ruleLink(link: ChainLink, traced: Traced | "gone" | undefined, telling: Telling): WhyLink {
  const { acting, event } = link;
  const rule = acting?.rule ?? "";
  const run = event.type === "RuleStepped" ? event.id : rule;
  const template = telling.template(rule);
  const isKnown = traced !== undefined && traced !== "gone" && isAsStepped(traced, event);
  const after =
    event.type === "RuleStepped" ? stateName((event as LoggedEvent & { value: unknown }).value) : null;
  if (!isKnown || template === undefined) {
    const step = { rule, run, before: null, after, guards: null };
    return event.type === "TimerSet" ? { ...telling.link(link), step } : telling.acted(link, rule, "", step);
  }
  const step = stepOf(traced, rule, { template }, telling);
  if (event.type === "TimerSet") return { ...telling.link(link), step };
  const held = traced.asked.filter((asked) => asked.held).flatMap(({ reads }) => reads);
  return telling.acted(link, rule, sentence(held, template, telling.language), step);
}

/** Returns why a rule, or the rules that drive a device, did nothing. */
function notActing(
  kind: Kind,
  id: string,
  log: Recorded,
  catalogue: Catalogue,
  telling: Telling,
): Pick<Why, "links" | "end" | "attempts" | "not" | "more"> {
  const rules = kind === "rule" ? [workingRule(id, log.home, catalogue)] : drivers(id, log, catalogue);
  const machines = rules.flatMap((rule) =>
    rule === undefined ? [] : machinesOf(rule, catalogue, log.home, id),
  );
  const told = machines.slice(0, limits.whyRules);
  const prepared = told.map((machine) => prepare(machine, log, telling));
  // Reads the past forwards, and answers in the order of the rules.
  const order = [...prepared.keys()].toSorted((a, b) => {
    const [one, other] = [prepared[a]?.event?.ref, prepared[b]?.event?.ref];
    if (one === undefined || other === undefined || one === other) return 0;
    return isLater(one, other) ? 1 : -1;
  });
  const not = prepared.map(() => undefined as Why["not"][number] | undefined);
  for (const index of order) {
    const one = prepared[index];
    if (one !== undefined) not[index] = whyNot(one, log, catalogue, telling);
  }
  return {
    links: [],
    end: null,
    attempts: [],
    not: not.filter((one) => one !== undefined),
    more: machines.length > told.length,
  };
}

/** Returns the rules that have a device among their outputs, by name. */
function drivers(device: string, log: Recorded, catalogue: Catalogue): readonly RuleState[] {
  return [...log.home.all("rule")]
    .map(([, rule]) => atWork(rule, log.home, catalogue))
    .filter(({ config }) => Object.values(config.outputs).some((ids) => ids.includes(device)))
    .toSorted((a, b) => (a.config.name < b.config.name ? -1 : 1));
}
