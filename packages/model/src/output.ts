import Type from "typebox";
import type { Decider, Decision, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import { isSameValue, isSettable } from "./device-state.ts";
import type { Device } from "./device-object.ts";
import type { DomainEvent, EventOf } from "./event.ts";
import { defineEvent, ruleIn, telemetry } from "./event.ts";
import { isImpulse, issue } from "./issue.ts";
import { limits } from "./limits.ts";

/** Who may say what a device does, the strongest first: a hold of one class keeps those below it away. */
export const driveClasses = ["SAFETY", "MANUAL", "SCENE", "RULE", "AMBIENT"] as const;
export type DriveClass = (typeof driveClasses)[number];

const Hold = Type.Object({
  class: Type.Enum(driveClasses),
  /** `user:<id>`, `scene:<id>`, `rule:<id>`, or `device` where somebody used the device itself. */
  by: Type.String(),
  /** ms since the epoch. */
  until: Type.Integer(),
  /** Rules that it binds no longer: they have been idle since. */
  free: Type.Array(Type.String()),
  /** Of a safety rule's hold: others of them that hold it too, the newest first. */
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
/** What a rule was kept from: it does so when nobody keeps it any more. */
export type Wish = Type.Static<typeof Wish>;
type Wishes = Readonly<Record<string, Wish>>;

/** What keeps rules off a device, by attribute. The id is the device's; without a hold or a wish there is no such state. */
export interface Output {
  readonly id: string;
  readonly holds: Holds;
  /** By rule: only of those that go by levels. */
  readonly wishes?: Wishes;
}

declare module "./states.ts" {
  interface States {
    output: Output;
  }
}

export type OutputCommand =
  /** A rule wants attributes of a device to be so. */
  | {
      type: "DRIVE";
      id: string;
      rule: string;
      class: DriveClass;
      attributes: Readonly<Record<string, unknown>>;
      /** Kept from it, the rule still wants it. */
      level?: true;
      /** The group as a member of which the rule drives it. */
      group?: string;
    }
  /** Somebody else does; rules that may go on are free. */
  | {
      type: "HOLD_OUTPUT";
      id: string;
      class: DriveClass;
      by: string;
      attributes: readonly string[];
      free: readonly string[];
    }
  /** A rule is idle: holds of people and scenes bind it no longer, its own end, and what it was kept from is over. */
  | { type: "FREE_OUTPUT"; id: string; rule: string }
  /** Somebody who holds it lets go, and wants nothing of it. */
  | { type: "RELEASE_OUTPUT"; id: string; by: string };

/** The holds as they are now. */
const OutputHeld = telemetry(defineEvent("OutputHeld", 1, { holds: Holds }), () => ["holds"]);
/** What rules were kept from, as it is now. */
const OutputWished = telemetry(defineEvent("OutputWished", 1, { wishes: Wishes }), () => ["wishes"]);
/** A rule was kept from driving attributes of the device. */
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

/** Who wants something of a device: of which class, and which rule where it is one. */
export interface Wanting {
  readonly class: DriveClass;
  readonly rule?: string;
}

/** What keeps somebody from setting attributes of a device, or undefined. */
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

/** Whether a hold is one for somebody. */
export function keepsAway({ class: of, until, free }: Hold, by: Wanting, now: number): boolean {
  if (until <= now || rank(of) >= rank(by.class)) return false;
  return by.rule === undefined || !free.includes(by.rule);
}

/** Whoever has switched a device wants it to stay so: any other attribute might switch it again. */
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
    // Of what would do harm twice nobody knows whether it is still wanted then.
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

/** A safety rule's hold, and what others of them hold beside it. */
function heldWith(mine: Hold, known: Hold | undefined): Hold {
  return known?.class === "SAFETY" ? { ...mine, also: [known.by, ...(known.also ?? [])] } : mine;
}

/** What is held once one of those who hold it has let go. */
function releasedBy(by: string, holds: Holds): Record<string, Hold> {
  const left = Object.entries(holds).flatMap(([name, { also = [], ...hold }]): [string, Hold][] => {
    const [holder, ...others] = [hold.by, ...also].filter((one) => one !== by);
    if (holder === undefined) return [];
    return [[name, { ...hold, by: holder, ...(others.length > 0 && { also: others }) }]];
  });
  return Object.fromEntries(left);
}

/** Whether a device does already what is wanted of it, by its own recent word, and nothing else is on its way to it. */
function isSo(device: Device, wanted: Readonly<Record<string, unknown>>, world: World): boolean {
  const { reachable, lastSeen } = device.state;
  if (reachable !== true || world.now - Number(lastSeen ?? 0) > limits.believedMs) return false;
  for (const [name, value] of Object.entries(wanted)) {
    if (!isSameValue(value, device.state[name])) return false;
  }
  for (const [, pending] of world.all("command")) if (pending.device === device.id) return false;
  return true;
}

function held(id: string, before: Holds, holds: Holds): OutputEvent[] {
  return JSON.stringify(before) === JSON.stringify(holds) ? [] : [{ type: "OutputHeld", id, holds }];
}

/** What is wished once a rule wants something else, or nothing. */
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
