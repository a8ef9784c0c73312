import type {
  Device,
  EventRef,
  ObstacleKind,
  Output,
  Reader,
  RuleState,
  WhyNot,
  WhyObstacle,
} from "@ledge/model";
import { driveClasses, hasFeature, parseEventRef } from "@ledge/model";
import type { Catalogue, CatalogueEntry } from "../catalogue/catalogue.ts";
import { runId } from "../engine/run-id.ts";
import { attributesOf } from "../machine/view.ts";
import type { Placed, Recorded } from "./recorded.ts";
import { isLater, placedAt } from "./recorded.ts";
import { guardOf } from "./readings.ts";
import { stateName, stepOf, traceAt } from "./step-told.ts";
import type { Telling } from "./telling.ts";
import { outcomeOf } from "./outcome.ts";

/** The machine of a rule that did not act. */
export interface Machine {
  readonly rule: RuleState;
  /** Undefined when this release has no such template. */
  readonly entry: CatalogueEntry | undefined;
  /** The machine's device, when the rule has one machine per device. */
  readonly each: string | undefined;
}

/** What is looked up before the past home is read. */
export interface Prepared {
  readonly machine: Machine;
  readonly run: string;
  readonly state: string | null;
  readonly obstacles: readonly WhyObstacle[];
  /** The last event that reached the machine. */
  readonly event: Placed | undefined;
  /** The last event at which its state changed. */
  readonly stepped: Placed | undefined;
}

/** Returns the machines of a rule; with `device` only its machine, when each device has its own. */
export function machinesOf(
  rule: RuleState,
  catalogue: Catalogue,
  home: Pick<Reader, "get">,
  device?: string,
): readonly Machine[] {
  const entry = catalogue.entry(rule.config.configType, home);
  const field = entry?.template.each;
  if (field === undefined) return [{ rule, entry, each: undefined }];
  const { inputs, outputs } = rule.config;
  const ids = inputs[field] ?? outputs[field] ?? [];
  const asked = device !== undefined && ids.includes(device) ? [device] : ids;
  return asked.map((each) => ({ rule, entry, each }));
}

/**
 * Returns what keeps a machine from acting as far as the present home shows, and the last event that reached
 * it.
 */
export function prepare(machine: Machine, log: Recorded, telling: Telling): Prepared {
  const { rule, each } = machine;
  const { home } = log;
  const run = runId({ rule: rule.id, ...(each !== undefined && { each }) });
  const steppedRef = log.lastEvent("ruleRun", run, "value");
  const stepped = steppedRef && placedAt(log, steppedRef);
  const event = lastHeard(machine, stepped, log);
  const state = home.get("ruleRun", run);
  const obstacles = [
    ...ofRule(machine, log, telling),
    ...ofFault(run, log, telling),
    ...ofTimers(run, log, telling),
    ...ofOutputs(machine, log, telling),
  ];
  return { machine, run, state: stateName(state?.value), obstacles, event, stepped };
}

/** Returns why a machine did not act. */
export function whyNot(prepared: Prepared, log: Recorded, catalogue: Catalogue, telling: Telling): WhyNot {
  const { machine, run, state, event, stepped } = prepared;
  const { rule, entry } = machine;
  const { id, is_on: isOn } = rule;
  const traced = event && rule.is_on ? traceAt(event, id, run, log, catalogue) : undefined;
  const obstacles = prepared.obstacles.filter(({ kind }) => first.has(kind));
  const said = (
    kind: "NOTHING_HEARD" | "GONE" | "NOT_LISTENING",
    parameters: Readonly<Record<string, string>> = {},
  ): WhyObstacle => ({ kind, text: telling.text(kind, parameters) });
  if (isOn && entry !== undefined) {
    if (event === undefined) obstacles.push(said("NOTHING_HEARD"));
    else if (traced === "gone") obstacles.push(said("GONE"));
    else if (traced !== undefined) {
      // Guards of transitions to another state come before those of transitions that stay.
      const failed = traced.asked
        .filter(({ held }) => !held)
        .toSorted((a, b) => Number(b.to !== null) - Number(a.to !== null));
      for (const asked of failed) {
        const guard = guardOf(asked, entry.template, telling.language);
        obstacles.push({ kind: "GUARD", text: guard.text, guard });
      }
      if (traced.asked.length === 0 && traced.wanted.length === 0)
        obstacles.push(said("NOT_LISTENING", { state: state ?? "-" }));
      obstacles.push(...already(traced.wanted, event, id, log, telling));
    }
    obstacles.push(...ofDeeds(id, event, stepped, log, telling));
  }
  obstacles.push(...prepared.obstacles.filter(({ kind }) => !first.has(kind)));
  const step = traced === undefined || traced === "gone" ? null : stepOf(traced, id, entry, telling);
  const text = obstacles[0]?.text ?? telling.text("acted", { what: state ?? "-" });
  const link = event === undefined ? null : telling.link(event);
  return { rule: id, name: rule.config.name, run, isOn, state, text, event: link, step, obstacles };
}

/** Obstacles that keep a rule away whatever happens. */
const first: ReadonlySet<ObstacleKind> = new Set(["RULE_OFF", "NO_TEMPLATE", "NO_FEATURE", "FAULT"]);

function ofRule({ rule, entry }: Machine, log: Recorded, telling: Telling): readonly WhyObstacle[] {
  const { configType } = rule.config;
  if (entry === undefined)
    return [{ kind: "NO_TEMPLATE", text: telling.text("NO_TEMPLATE", { name: configType }) }];
  const { feature } = entry.template;
  const lacking: readonly WhyObstacle[] =
    feature === undefined || hasFeature(feature, log.home)
      ? []
      : [{ kind: "NO_FEATURE", text: telling.text("NO_FEATURE", { name: feature }) }];
  if (rule.is_on) return lacking;
  const off = turnedOff(rule.id, log);
  if (off === undefined) return [{ kind: "RULE_OFF", text: telling.text("RULE_OFF") }, ...lacking];
  const { text } = telling.link(off);
  const since = telling.text("RULE_OFF_BY", { time: telling.time(off.at), text });
  return [{ kind: "RULE_OFF", text: since, ref: off.ref }, ...lacking];
}

const turnsOff: ReadonlySet<string> = new Set(["RuleTurnedOff", "RuleStopped", "RuleCreated"]);

function turnedOff(rule: string, log: Recorded): Placed | undefined {
  const newest = log.lastEvent("rule", rule, "");
  const placed = newest && placedAt(log, newest);
  if (placed !== undefined && turnsOff.has(placed.event.type)) return placed;
  let found: Placed | undefined;
  for (const one of log.configuring("rule", rule)) if (turnsOff.has(one.event.type)) found = one;
  return found;
}

function ofFault(run: string, log: Recorded, telling: Telling): readonly WhyObstacle[] {
  if ((log.home.get("ruleRun", run)?.faults ?? 0) === 0) return [];
  const ref = log.lastEvent("ruleRun", run, "faults");
  const { reason = "" } = ((ref && placedAt(log, ref)?.event) ?? {}) as { readonly reason?: string };
  const text = telling.text("FAULT", { message: reason });
  return [{ kind: "FAULT", text, ...(ref && { ref }) }];
}

function ofTimers(run: string, log: Recorded, telling: Telling): readonly WhyObstacle[] {
  const own = `rule:${run}#xstate.`;
  return [...log.home.all("timer")]
    .filter(([id]) => id.startsWith(own))
    .toSorted(([, a], [, b]) => a.due - b.due)
    .map(([id, { due }]) => {
      const text = telling.text("WAITING", { time: telling.time(due), timer: telling.timerLabel(id) });
      return { kind: "WAITING", text, until: due } as const;
    });
}

/** Returns the outputs that somebody holds, and the devices that are out of reach. */
function ofOutputs({ rule, entry }: Machine, log: Recorded, telling: Telling): readonly WhyObstacle[] {
  const { inputs, outputs } = rule.config;
  const found: WhyObstacle[] = [];
  const driven = new Set(Object.values(outputs).flat());
  for (const id of driven) {
    const hold = holdOver(log.home.get("output", id), rule, entry, log.now);
    if (hold === undefined) continue;
    const { by, until } = hold;
    const named = { name: telling.names.of("device", id), by: telling.by(by), time: telling.time(until) };
    found.push({
      kind: "HELD",
      text: telling.text("HELD", named),
      object: telling.names.object("device", id),
      until,
    });
  }
  for (const id of new Set([...driven, ...Object.values(inputs).flat()])) {
    if (log.home.get("device", id)?.state["reachable"] !== false) continue;
    const object = telling.names.object("device", id);
    found.push({ kind: "UNREACHABLE", text: telling.text("UNREACHABLE", { name: object.name }), object });
  }
  return found;
}

function holdOver(
  output: Output | undefined,
  { id }: RuleState,
  entry: CatalogueEntry | undefined,
  now: number,
): Output["holds"][string] | undefined {
  const own = driveClasses.indexOf(entry?.template.class ?? "RULE");
  return Object.values(output?.holds ?? {}).find(
    ({ class: of, until, free }) => driveClasses.indexOf(of) < own && until > now && !free.includes(id),
  );
}

/**
 * Returns the last event that reached a machine: a report of its devices, its own last step, or that the rule
 * was turned on.
 */
function lastHeard(
  { rule, entry, each }: Machine,
  stepped: Placed | undefined,
  log: Recorded,
): Placed | undefined {
  let last: EventRef | undefined;
  const take = (ref: EventRef | undefined): void => {
    if (ref !== undefined && (last === undefined || isLater(ref, last))) last = ref;
  };
  for (const [device, attribute] of heardOf(rule, entry, each, log))
    take(log.lastEvent("device", device, attribute));
  const cause = stepped?.event.cause;
  if (cause !== undefined && parseEventRef(cause) !== undefined) take(cause as EventRef);
  const newest = log.lastEvent("rule", rule.id, "");
  if (newest !== undefined && placedAt(log, newest)?.event.type === "RuleTurnedOn") take(newest);
  if (entry?.template.hears?.includes("price") === true)
    for (const [id] of log.home.all("price")) take(log.lastEvent("price", id, ""));
  return last && placedAt(log, last);
}

function* heardOf(
  { config }: RuleState,
  entry: CatalogueEntry | undefined,
  each: string | undefined,
  log: Recorded,
): Generator<readonly [device: string, attribute: string]> {
  if (entry === undefined) return;
  const { template } = entry;
  const heard = [
    [template.inputs, config.inputs],
    ...(template.hears?.includes("outputs") === true ? [[template.outputs, config.outputs] as const] : []),
  ] as const;
  for (const [fields, given] of heard) {
    for (const [name, field] of Object.entries(fields)) {
      for (const id of given[name] ?? []) {
        if (name === template.each && each !== undefined && id !== each) continue;
        const device: Device | undefined = log.home.get("device", id);
        if (device === undefined) continue;
        for (const attribute of [...attributesOf(field, device, config), "reachable"]) yield [id, attribute];
      }
    }
  }
}

/** Returns the devices that already do what the rule would have commanded. */
function already(
  wanted: readonly { readonly type: string }[],
  event: Placed,
  rule: string,
  log: Recorded,
  telling: Telling,
): readonly WhyObstacle[] {
  const done = new Set(
    deedsOf(rule, event.ref, event.at, log).map(({ event: { device, id } }) => device ?? id),
  );
  return wanted.flatMap((command) => {
    if (command.type !== "DRIVE") return [];
    const { id, attributes } = command as unknown as {
      readonly id: string;
      readonly attributes: Readonly<Record<string, unknown>>;
    };
    if (done.has(id)) return [];
    const object = telling.names.object("device", id);
    const text = telling.text("ALREADY", { name: object.name, what: telling.shown(attributes) });
    return [{ kind: "ALREADY", text, object } as const];
  });
}

type Deed = Placed & { readonly event: Placed["event"] & { readonly device?: string } };

/** Returns what a rule did at an event: its commands, sent or suppressed. */
function deedsOf(rule: string, trigger: EventRef, at: number, log: Recorded): readonly Deed[] {
  const commit = log.commit(at);
  const origin = `rule:${rule}`;
  return (commit?.events ?? []).flatMap((event, place) => {
    const isDeed = event.type === "CommandIssued" || event.type === "CommandSuppressed";
    if (!isDeed || event.cause !== trigger || event.origin !== origin) return [];
    const index = commit?.indexes?.[place] ?? place;
    return [{ ref: `${at}-${index}` as const, at, event }];
  });
}

/** Returns what became of the rule's last commands. */
function ofDeeds(
  rule: string,
  event: Placed | undefined,
  stepped: Placed | undefined,
  log: Recorded,
  telling: Telling,
): readonly WhyObstacle[] {
  const found = new Map<string, Deed>();
  const steppedBy = stepped?.event.cause as EventRef | undefined;
  if (stepped !== undefined && steppedBy !== undefined)
    for (const deed of deedsOf(rule, steppedBy, stepped.at, log)) found.set(deed.ref, deed);
  if (event !== undefined)
    for (const deed of deedsOf(rule, event.ref, event.at, log)) found.set(deed.ref, deed);
  return [...found.values()].flatMap((deed): WhyObstacle[] => {
    if (deed.event.type === "CommandSuppressed") {
      const { text } = telling.link(deed);
      return [
        { kind: "SUPPRESSED", text, ref: deed.ref, object: telling.names.object("device", deed.event.id) },
      ];
    }
    const { outcome, placed } = outcomeOf(deed, log);
    const object = telling.names.object("device", deed.event.device ?? "");
    if (outcome === "failed" && placed)
      return [{ kind: "FAILED", text: telling.link(placed).text, ref: deed.ref, object }];
    if (outcome === "expired" && placed)
      return [{ kind: "EXPIRED", text: telling.link(placed).text, ref: deed.ref, object }];
    if (outcome !== "pending") return [];
    return [{ kind: "PENDING", text: telling.text("PENDING", { name: object.name }), ref: deed.ref, object }];
  });
}
