import Type from "typebox";
import type { Decider, Decision, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import { isSameValue, isSettable } from "./device-state.ts";
import { shownIn } from "./extra.ts";
import type { Device } from "./device-object.ts";
import type { DomainEvent, EventOf } from "./event.ts";
import { defineEvent, ruleIn, telemetry } from "./event.ts";
import { isImpulse, issue } from "./issue.ts";
import { limits } from "./limits.ts";

/** Who may control a device, the strongest first: a hold of one class keeps weaker classes away. */
export const driveClasses = ["SAFETY", "MANUAL", "SCENE", "RULE", "AMBIENT"] as const;
export type DriveClass = (typeof driveClasses)[number];

const Hold = Type.Object({
  class: Type.Enum(driveClasses),
  /** `user:<id>`, `bacnet:<client>`, `scene:<id>`, `rule:<id>`, or `device` when somebody used the device by hand. */
  by: Type.String(),
  /** ms since the epoch. */
  until: Type.Integer(),
  /** Rules that it no longer keeps away, because they have been idle since. */
  free: Type.Array(Type.String()),
  /** For a safety rule's hold: other safety rules that hold the device too, newest first. */
  also: Type.Optional(Type.Array(Type.String())),
});
const Holds = Type.Record(Type.String(), Hold);
export type Hold = Type.Static<typeof Hold>;
type Holds = Readonly<Record<string, Hold>>;

const Wish = Type.Object({
  class: Type.Enum(driveClasses),
  attributes: Type.Record(Type.String(), Type.Unknown()),
});
const Wishes = Type.Record(Type.String(), Wish);
/** What a rule was kept from; it does this when the hold ends. */
export type Wish = Type.Static<typeof Wish>;
type Wishes = Readonly<Record<string, Wish>>;

/** What keeps rules off a device, by attribute. Its id is the device's; it exists only with a hold or a wish. */
export interface Output {
  readonly id: string;
  readonly holds: Holds;
  /** By rule; only for rules that follow levels. */
  readonly wishes?: Wishes;
}

declare module "./states.ts" {
  interface States {
    output: Output;
  }
}

export type OutputCommand =
  /** A rule wants to set attributes of a device. */
  | {
      type: "DRIVE";
      id: string;
      rule: string;
      class: DriveClass;
      attributes: Readonly<Record<string, unknown>>;
      /** If a hold keeps the rule away, it still wants this afterwards. */
      level?: true;
      /** The group through which the rule commands the device. */
      group?: string;
    }
  /** Somebody else controls the device; rules in `free` may still do so. */
  | {
      type: "HOLD_OUTPUT";
      id: string;
      class: DriveClass;
      by: string;
      attributes: readonly string[];
      free: readonly string[];
    }
  /** A rule is idle: holds of people and scenes end for it, and so do its own hold and its wish. */
  | { type: "FREE_OUTPUT"; id: string; rule: string }
  /** A holder releases the device and wants nothing of it. */
  | { type: "RELEASE_OUTPUT"; id: string; by: string };

/** The present holds. */
const OutputHeld = telemetry(defineEvent("OutputHeld", 1, { holds: Holds }), () => ["holds"]);
/** What rules were kept from, at present. */
const OutputWished = telemetry(defineEvent("OutputWished", 1, { wishes: Wishes }), () => ["wishes"]);
/** A hold kept a rule from setting attributes of the device. */
const CommandSuppressed = telemetry(
  defineEvent("CommandSuppressed", 1, {
    rule: Type.String(),
    attributes: Type.Record(Type.String(), Type.Unknown()),
    by: Type.String(),
    class: Type.Enum(driveClasses),
  }),
);

export type OutputEvent =
  | EventOf<typeof OutputHeld>
  | EventOf<typeof OutputWished>
  | EventOf<typeof CommandSuppressed>;

/** Arbitrates between rules, scenes and people over a device. */
export const output: Decider<Output, OutputCommand, OutputEvent> = {
  kind: "output",
  commands: ["DRIVE", "HOLD_OUTPUT", "FREE_OUTPUT", "RELEASE_OUTPUT"],
  events: [OutputHeld, OutputWished, CommandSuppressed],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    const { holds: before = {}, wishes = {} } = state ?? {};
    const current = Object.fromEntries(Object.entries(before).filter(([, { until }]) => until > world.now));
    switch (command.type) {
      case "DRIVE":
        return drive(command, current, wishes, world);
      case "HOLD_OUTPUT": {
        const holds = { ...current };
        const { class: of, by, free } = command;
        for (const name of command.attributes) {
          const known = holds[name];
          if (known !== undefined && rank(known.class) < rank(of)) continue;
          holds[name] = { class: of, by, until: world.now + holdMs(of), free: [...free] };
        }
        return held(id, before, holds);
      }
      case "FREE_OUTPUT": {
        const own = `rule:${command.rule}`;
        const holds: Record<string, Hold> = {};
        for (const [name, hold] of Object.entries(releasedBy(own, current))) {
          const isBound = hold.class !== "SAFETY" && !hold.free.includes(command.rule);
          holds[name] = isBound ? { ...hold, free: [...hold.free, command.rule] } : hold;
        }
        return [...held(id, before, holds), ...wished(id, wishes, command.rule)];
      }
      case "RELEASE_OUTPUT": {
        const rule = ruleIn(command.by);
        const given = rule === undefined ? [] : wished(id, wishes, rule);
        return [...held(id, before, releasedBy(command.by, current)), ...given];
      }
    }
  },

  evolve(state, event) {
    if (event.type === "CommandSuppressed") return state;
    const { id } = event;
    const { holds = {}, wishes = {} } = { ...state, ...event };
    const isWished = Object.keys(wishes).length > 0;
    if (!isWished && Object.keys(holds).length === 0) return undefined;
    return isWished ? { id, holds, wishes } : { id, holds };
  },
};

/** Who wants something of a device: the class, and the rule if it is one. */
export interface Wanting {
  readonly class: DriveClass;
  readonly rule?: string;
}

/** Returns the hold that keeps somebody from setting attributes of a device; undefined when none does. */
export function holdAgainst(
  state: Pick<Output, "holds"> | undefined,
  device: Device,
  attributes: Readonly<Record<string, unknown>>,
  by: Wanting,
  now: number,
): Hold | undefined {
  if (state === undefined) return undefined;
  for (const name of heldNames(device, attributes)) {
    const hold = state.holds[name];
    if (hold !== undefined && keepsAway(hold, by, now)) return hold;
  }
  return undefined;
}

/** Returns whether a hold keeps somebody away. */
export function keepsAway({ class: of, until, free }: Hold, by: Wanting, now: number): boolean {
  if (until <= now || rank(of) >= rank(by.class)) return false;
  return by.rule === undefined || !free.includes(by.rule);
}

/** A change by hand also holds `isOn`, because any other attribute might switch the device again. */
function heldNames(device: Device, attributes: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const names = new Set(Object.keys(attributes));
  if (isSettable(device, "isOn")) names.add("isOn");
  return names;
}

function drive(
  { id, rule, class: of, attributes, level, group }: Extract<OutputCommand, { type: "DRIVE" }>,
  holds: Holds,
  wishes: Wishes,
  world: World,
): Decision<OutputEvent> {
  const device = world.get("device", id);
  if (device === undefined) return reject("not-found", `no device ${id}`, "id");
  const hold = holdAgainst({ holds }, device, attributes, { class: of, rule }, world.now);
  if (hold !== undefined) {
    const { by, class: holding } = hold;
    const suppressed = { type: "CommandSuppressed", id, rule, attributes, by, class: holding } as const;
    // An impulse may no longer be wanted when the hold ends.
    const wish = level && !isImpulse(device, attributes) ? { class: of, attributes } : undefined;
    return [suppressed satisfies OutputEvent, ...wished(id, wishes, rule, wish)];
  }
  const events: DomainEvent[] = wished(id, wishes, rule);
  if (of !== "SAFETY" && isSo(device, attributes, world)) return events;
  const issued = issue(device, attributes, group ?? null, world);
  if (isRejection(issued)) return issued;
  if (of === "SAFETY") {
    const mine: Hold = { class: of, by: `rule:${rule}`, until: world.now + holdMs(of), free: [] };
    const others = releasedBy(mine.by, holds);
    const own = [...heldNames(device, attributes)].map((name) => [name, heldWith(mine, others[name])]);
    events.push(...held(id, holds, { ...holds, ...Object.fromEntries(own) }));
  }
  return [...events, ...issued];
}

/** Returns a safety rule's hold together with those of other safety rules. */
function heldWith(mine: Hold, known: Hold | undefined): Hold {
  return known?.class === "SAFETY" ? { ...mine, also: [known.by, ...(known.also ?? [])] } : mine;
}

/** Returns the holds after one holder has let go. */
function releasedBy(by: string, holds: Holds): Record<string, Hold> {
  const left = Object.entries(holds).flatMap(([name, { also = [], ...hold }]): [string, Hold][] => {
    const [holder, ...others] = [hold.by, ...also].filter((one) => one !== by);
    if (holder === undefined) return [];
    return [[name, { ...hold, by: holder, ...(others.length > 0 && { also: others }) }]];
  });
  return Object.fromEntries(left);
}

/**
 * Returns whether a device already shows what is wanted in a recent report, or will when it wakes up, and no other
 * command is under way to it.
 */
function isSo(device: Device, wanted: Readonly<Record<string, unknown>>, world: World): boolean {
  const { reachable, lastSeen } = device.state;
  if (reachable !== true || world.now - Number(lastSeen ?? 0) > limits.believedMs) return false;
  const waiting: Record<string, unknown> = {};
  for (const [, pending] of world.all("command")) {
    if (pending.device !== device.id) continue;
    if (pending.waits === undefined) return false;
    Object.assign(waiting, pending.attributes);
  }
  return Object.entries(wanted).every(([name, value]) => {
    const will = Object.hasOwn(waiting, name) ? waiting[name] : shownIn(device.state, name);
    return isSameValue(value, will);
  });
}

function held(id: string, before: Holds, holds: Holds): OutputEvent[] {
  return JSON.stringify(before) === JSON.stringify(holds) ? [] : [{ type: "OutputHeld", id, holds }];
}

/** Returns the wishes after a rule wants something new, or nothing. */
function wished(id: string, before: Wishes, rule: string, wish?: Wish): OutputEvent[] {
  const { [rule]: known, ...others } = before;
  if (JSON.stringify(known) === JSON.stringify(wish)) return [];
  return [{ type: "OutputWished", id, wishes: wish === undefined ? others : { ...others, [rule]: wish } }];
}

function rank(of: DriveClass): number {
  return driveClasses.indexOf(of);
}

function holdMs(of: DriveClass): number {
  return of === "SAFETY" ? limits.safetyHoldMs : limits.holdMs;
}
