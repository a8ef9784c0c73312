import { stoppable, twinOf } from "@ledge/model";
import type { DeviceCommand } from "@ledge/port";

/** One command for several members of a group, which one frame may deliver to all of them. */
export interface Cast {
  readonly group: string;
  readonly command: DeviceCommand;
  /**
   * Whether it can still go out as a cast. A cast reaches every member at once, even one that has got a newer
   * command meanwhile, so a newer command closes it.
   */
  isOpen: boolean;
  /** Until then (ms) it waits for members busy with another cast, which are free soon. */
  readonly waitsUntil: number;
}

/** One command's share of a frame. */
export interface Part {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The device's known attributes before the command. */
  readonly before: Readonly<Record<string, unknown>>;
  /** It is not sent again after this time (ms). */
  readonly deadline: number;
  readonly cast?: Cast;
}

/** One message to a device: one command, or several that were merged while they waited. */
export interface Frame {
  readonly type: DeviceCommand["type"];
  /** False for an impulse: it is sent alone and once. */
  readonly absolute: boolean;
  readonly parts: readonly Part[];
  /** How often it was sent. */
  readonly tries: number;
  /** It is not sent before this time (ms). */
  readonly notBefore: number;
  /** It went out in a cast, and the device seems to have missed it. */
  readonly missed?: true;
}

/** Attributes that say how to reach a target; without a target they do nothing. */
const modifiers: ReadonlySet<string> = new Set(["transitionMsec"]);

/** Targets that exclude one another: a newer one replaces the older ones. */
const displaced: Readonly<Record<string, readonly string[]>> = {
  temperature: ["hue", "saturation", "colorMode"],
  hue: ["temperature", "colorMode"],
  saturation: ["temperature", "colorMode"],
  colorMode: ["temperature", "hue", "saturation"],
  stop: stoppable,
  ...Object.fromEntries(stoppable.map((name) => [name, ["stop"]])),
};

/**
 * Returns the index of the waiting frame that a newer frame may merge into, or -1. A command may overtake a
 * refresh, which then reads back both; a refresh never overtakes a command, since it would miss its result.
 */
export function placeFor(frame: Frame, frames: readonly Frame[]): number {
  const passes = frame.type === "set";
  const place = frames.findLastIndex(({ type }) => !passes || type !== "refresh");
  const waiting = frames[place];
  return waiting && canMerge(waiting, frame) ? place : -1;
}

/**
 * Returns the next frame to send: the oldest, unless it backs off. A refresh in backoff does not hold up
 * others.
 */
export function nextOf(frames: readonly Frame[], now: number): Frame | undefined {
  const next = frames.find(({ type, notBefore }) => type !== "refresh" || notBefore <= now);
  return next && next.notBefore <= now ? next : undefined;
}

/** Returns the cast that the frame waits to be part of. */
export function openCast(frame: Frame): Cast | undefined {
  return frame.parts.find(({ cast }) => cast?.isOpen)?.cast;
}

/** Closes the casts of these parts: members that were not reached get the command singly. */
export function closeCasts(parts: readonly Part[]): void {
  for (const { cast } of parts) if (cast) cast.isOpen = false;
}

/** Whether the frame contains only its device's share of the cast. */
export function isShareOf(cast: Cast, { parts }: Frame): boolean {
  return parts.length === 1 && parts[0]?.cast === cast;
}

/** Whether the newer command may travel in the same frame as the waiting one. */
function canMerge(waiting: Frame, newer: Frame): boolean {
  return waiting.absolute && newer.absolute && waiting.type === newer.type;
}

/**
 * Merges a newer frame into a waiting one, attribute by attribute.
 * @returns the frame, and the ids of the commands that are superseded entirely.
 */
export function merge(
  waiting: Frame,
  newer: Frame,
): { readonly frame: Frame; readonly superseded: readonly string[] } {
  const superseded: string[] = [];
  let parts = waiting.parts;
  for (const part of newer.parts) {
    const taken = takenBy(part.attributes);
    const left: Part[] = [];
    for (const older of parts) {
      const rest = without(older, taken);
      // A refresh has no targets: the newer one reads back what the older would have.
      if (targets(rest).length === 0) superseded.push(older.id);
      else left.push(rest);
    }
    parts = [...left, part];
  }
  return { frame: { ...newer, parts }, superseded };
}

/** Whether a newer frame supersedes all of one that was sent. */
export function overtakes(newer: Frame, older: Frame): boolean {
  return canMerge(older, newer) && merge(older, newer).superseded.length === older.parts.length;
}

function takenBy(attributes: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const taken = new Set(Object.keys(attributes));
  for (const [name, value] of Object.entries(attributes)) {
    // -1 means that the lamp is in another mode; it sets nothing.
    if (value !== -1) for (const other of displaced[name] ?? []) taken.add(other);
    const twin = twinOf(name);
    if (twin !== undefined) taken.add(twin.name);
  }
  return taken;
}

function without(part: Part, names: ReadonlySet<string>): Part {
  const left = Object.entries(part.attributes).filter(([name]) => !names.has(name));
  return { ...part, attributes: Object.fromEntries(left) };
}

/** The attributes that a device reports after it has carried out the part. */
export function targets({ attributes }: Part): string[] {
  return Object.keys(attributes).filter((name) => !modifiers.has(name));
}

/** Returns the command that the frame sends to its device. */
export function commandOf(frame: Frame): DeviceCommand {
  if (frame.type !== "set") return { type: frame.type };
  const attributes: Record<string, unknown> = {};
  for (const part of frame.parts) Object.assign(attributes, part.attributes);
  return { type: "set", attributes };
}
