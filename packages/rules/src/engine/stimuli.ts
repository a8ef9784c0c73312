import type { LoggedEvent, RuleState, World } from "@ledge/model";
import { driveClasses, keepsAway, shownIn } from "@ledge/model";
import type { Catalogue, CatalogueEntry } from "../catalogue/catalogue.ts";
import type { DeviceField } from "../catalogue/field.ts";
import type { RuleIndex } from "./rule-index.ts";
import { parseLapseId, parseTimerId } from "./run-id.ts";
import { workingRule } from "./members.ts";
import type { Change } from "../machine/view.ts";
import { attributesOf } from "../machine/view.ts";

/** A stimulus without its view. */
export interface RawStimulus {
  readonly type: string;
  /** Only for the machine of this device; left out: for all machines of the rule. */
  readonly each?: string;
  readonly change?: Change;
  /** The timer is too late: the machine steps, but its effects are dropped. */
  readonly isSkipped?: true;
}

/** What one rule hears of an event. */
export interface Heard {
  readonly rule: RuleState;
  readonly entry: CatalogueEntry;
  readonly stimuli: readonly RawStimulus[];
}

/** The rules that an event may concern, and what one of them hears of it. */
interface Concern {
  readonly ids: Iterable<string>;
  readonly stimuliOf: (heard: Omit<Heard, "stimuli">) => readonly RawStimulus[];
}

/** The events that rules can hear. */
export const heardEvents = [
  "DeviceReported",
  "RuleTurnedOn",
  "RuleTurnedOff",
  "TimerFired",
  "TimerSkipped",
  "AlarmClosed",
  "AlarmRemoved",
  "CommandFailed",
  "CommandExpired",
  "PricesReceived",
  "TimezoneSet",
  "LocationSet",
  "ClockJumped",
] as const;

/** Returns the rules that hear of an event and what they hear, in the order in which they decide. */
export function whoHears(event: LoggedEvent, world: World, catalogue: Catalogue, index: RuleIndex): Heard[] {
  const { ids, stimuliOf } = concern(event, world, catalogue, index);
  const found: Heard[] = [];
  for (const id of ids) {
    const rule = workingRule(id, world, catalogue);
    const entry = rule && catalogue.entry(rule.config.configType, world);
    if (rule === undefined || entry === undefined) continue;
    const stimuli = stimuliOf({ rule, entry });
    if (stimuli.length > 0) found.push({ rule, entry, stimuli });
  }
  return found.length > 1 ? found.toSorted(byRank) : found;
}

function concern(event: LoggedEvent, world: World, catalogue: Catalogue, index: RuleIndex): Concern {
  switch (event.type) {
    case "DeviceReported":
      return reported(event as LoggedEvent & { attributes: Record<string, unknown> }, world, index);
    case "DeviceRemoved":
      return removed(event, world, catalogue, index);
    case "RuleTurnedOn":
      return { ids: [event.id], stimuliOf: () => [{ type: "rule.on" }] };
    case "RuleTurnedOff":
      return { ids: [event.id], stimuliOf: () => [{ type: "rule.off" }] };
    case "TimerFired":
    case "TimerSkipped": {
      const freed = parseLapseId(event.id);
      if (freed !== undefined) return lapsed(freed, event, world, index);
      const timer = parseTimerId(event.id);
      if (timer === undefined) return { ids: [], stimuliOf: () => [] };
      const { rule, each, name } = timer;
      const skipped = event.type === "TimerSkipped" && ({ isSkipped: true } as const);
      return {
        ids: [rule],
        stimuliOf: () => [{ type: name, ...(each !== undefined && { each }), ...skipped }],
      };
    }
    case "AlarmClosed":
    case "AlarmRemoved": {
      const alarm = world.get("alarm", event.id) ?? world.before.get("alarm", event.id);
      const source = alarm?.sourceId ?? "";
      return { ids: index.about("closed"), stimuliOf: (rule) => aboutSource(rule, source) };
    }
    case "CommandFailed":
    case "CommandExpired": {
      const { device } = event as LoggedEvent & { device: string };
      const ids = index.drivingAbout("failed", device);
      return { ids, stimuliOf: (rule) => aboutOutput(rule, "failed", device, event, world) };
    }
    case "PricesReceived":
      return { ids: index.about("price"), stimuliOf: () => [{ type: "price" }] };
    case "TimezoneSet":
    case "LocationSet":
      return { ids: index.about("time"), stimuliOf: () => [{ type: "zone" }] };
    default:
      return { ids: index.about("time"), stimuliOf: () => [{ type: "time" }] };
  }
}

function reported(
  event: LoggedEvent & { readonly attributes: Readonly<Record<string, unknown>> },
  world: World,
  index: RuleIndex,
): Concern {
  const ids = new Set<string>();
  for (const name of Object.keys(event.attributes))
    for (const id of index.hearing(event.id, name)) ids.add(id);
  const device = world.get("device", event.id);
  if (device === undefined) return { ids: [], stimuliOf: () => [] };
  const { origin } = event;
  const before = world.before.get("device", event.id)?.state;
  const isNews = origin !== "resync";
  const stimuliOf: Concern["stimuliOf"] = ({ rule, entry: { template } }) =>
    fieldsOf(device.id, { rule, entry: { template } }).flatMap(({ name: field, fields, isInput }) => {
      const shown = fields === undefined ? [] : attributesOf(fields, device, rule.config);
      // Reachability decides whether its readings count.
      const reach = shown.includes("reachable") ? [] : ["reachable"];
      const each = template.each === field ? { each: device.id } : {};
      return [...shown, ...reach]
        .filter((attribute) => Object.hasOwn(event.attributes, attribute))
        .map((attribute) => {
          const value = event.attributes[attribute];
          const was = before && shownIn(before, attribute);
          const isNew = isNews && (attribute !== "reachable" || reach.length === 0);
          const change = { field, device, attribute, value, before: was, isNews: isNew, origin };
          return { type: `${isInput ? "in" : "out"}.${field}`, ...each, change };
        });
    });
  return { ids, stimuliOf };
}

/** For its rules, a removed device is out of reach for good. */
function removed({ id, origin }: LoggedEvent, world: World, catalogue: Catalogue, index: RuleIndex): Concern {
  const device = world.before.get("device", id);
  if (device === undefined) return { ids: [], stimuliOf: () => [] };
  const change = { device, attribute: "reachable", value: false, before: true, isNews: false, origin };
  return {
    ids: index.hearing(id, "reachable"),
    stimuliOf: ({ rule: now, entry }) => {
      // The world before still has it as a member of its groups.
      const rule = workingRule(now.id, world.before, catalogue) ?? now;
      return fieldsOf(id, { rule, entry })
        .filter(({ name }) => name !== entry.template.each)
        .map(({ name, isInput }) => ({
          type: `${isInput ? "in" : "out"}.${name}`,
          change: { field: name, ...change },
        }));
    },
  };
}

/** Handles an alarm of the rule, or about one of its devices. */
function aboutSource(heard: Omit<Heard, "stimuli">, source: string): readonly RawStimulus[] {
  if (source === heard.rule.id) return [{ type: "closed" }];
  const [field] = fieldsOf(source, heard);
  if (field === undefined) return [];
  return [{ type: "closed", ...(heard.entry.template.each === field.name && { each: source }) }];
}

/**
 * Returns the rules that look for themselves what they want of a device, once it is no longer held against
 * them.
 */
function lapsed(device: string, event: LoggedEvent, world: World, index: RuleIndex): Concern {
  const holds = Object.values(world.get("output", device)?.holds ?? {});
  return {
    ids: index.drivingAbout("freed", device),
    stimuliOf: (heard) => {
      const of = { class: heard.entry.template.class, rule: heard.rule.id };
      const isKept = holds.some((hold) => keepsAway(hold, of, world.now));
      return isKept ? [] : aboutOutput(heard, "freed", device, event, world);
    },
  };
}

function aboutOutput(
  heard: Omit<Heard, "stimuli">,
  type: "failed" | "freed",
  id: string,
  { origin }: LoggedEvent,
  world: World,
): readonly RawStimulus[] {
  const device = world.get("device", id);
  const field = fieldsOf(id, heard).find(({ isInput }) => !isInput)?.name;
  if (device === undefined || field === undefined) return [];
  const change = { field, device, attribute: type, value: true, before: undefined, isNews: true, origin };
  return [{ type, ...(heard.entry.template.each === field && { each: id }), change }];
}

interface FieldOf {
  readonly name: string;
  readonly fields: DeviceField | undefined;
  readonly isInput: boolean;
}

/** Returns the fields of a rule that have a device. */
function fieldsOf(
  device: string,
  { rule, entry }: { readonly rule: RuleState; readonly entry: Pick<CatalogueEntry, "template"> },
): readonly FieldOf[] {
  const { inputs, outputs } = rule.config;
  const { template } = entry;
  const found: FieldOf[] = [];
  for (const [name, ids] of Object.entries(inputs)) {
    if (ids.includes(device)) found.push({ name, fields: template.inputs[name], isInput: true });
  }
  for (const [name, ids] of Object.entries(outputs)) {
    if (ids.includes(device)) found.push({ name, fields: template.outputs[name], isInput: false });
  }
  return found;
}

/** What decides the rank of a rule. */
export interface Ranked {
  readonly rule: RuleState;
  readonly entry: Pick<CatalogueEntry, "template">;
}

/**
 * Compares two rules: stronger classes first, then higher priorities, then older rules; rules of one commit
 * by their ids.
 */
export function byRank(one: Ranked, other: Ranked): number {
  const [a, b] = [one.entry.template, other.entry.template];
  return (
    driveClasses.indexOf(a.class) - driveClasses.indexOf(b.class) ||
    b.priority - a.priority ||
    one.rule.createdAt - other.rule.createdAt ||
    (one.rule.id < other.rule.id ? -1 : 1)
  );
}
