import { twinOf } from "@ledge/model";
import type { DeviceCommand } from "@ledge/port";

/** One command for several members of a group, which may go out as one frame to all of them. */
export interface Cast {
  readonly group: string;
  readonly command: DeviceCommand;
  /**
   * Until it went out, or cannot any more: it reaches every member at once, those too that were told something
   * newer meanwhile.
   */
  isOpen: boolean;
  /** Until then (ms) it waits for members that are at another cast: they are free soon. */
  readonly waitsUntil: number;
}

/** One command's share of a frame. */
export interface Part {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** What the device showed before, as far as it was known. */
  readonly before: Readonly<Record<string, unknown>>;
  /** It is not sent again after this (ms). */
  readonly deadline: number;
  readonly cast?: Cast;
}

/** What goes to a device as one message: one command, or several that were merged while they waited. */
export interface Frame {
  readonly type: DeviceCommand["type"];
  /** False for an impulse: it stands alone and is sent once. */
  readonly absolute: boolean;
  readonly parts: readonly Part[];
  /** How often it was sent. */
  readonly tries: number;
  /** It is not sent before this (ms). */
  readonly notBefore: number;
  /** It went out in a cast, which the device has missed as far as is known. */
  readonly missed?: true;
}

/** Attributes that say how, not what: without a target beside them they are nothing to carry out. */
const modifiers: ReadonlySet<string> = new Set(["transitionMsec"]);

/** Targets that one device cannot have at once: a newer one takes the older ones' place. */
const displaced: Readonly<Record<string, readonly string[]>> = {
  temperature: ["hue", "saturation", "colorMode"],
  hue: ["temperature", "colorMode"],
  saturation: ["temperature", "colorMode"],
  colorMode: ["temperature", "hue", "saturation"],
};

/**
 * The waiting frame that a newer one may merge into; -1 when there is none. A command may pass a refresh, which
 * then tells of both; a refresh never passes a command, of which it would tell nothing.
 */
export function placeFor(frame: Frame, frames: readonly Frame[]): number {
  const passes = frame.type === "set";
  const place = frames.findLastIndex(({ type }) => !passes || type !== "refresh");
  const waiting = frames[place];
  return waiting && canMerge(waiting, frame) ? place : -1;
}

/** What is sent next: the oldest, unless it pauses. A refresh that pauses holds nothing up. */
export function nextOf(frames: readonly Frame[], now: number): Frame | undefined {
  const next = frames.find(({ type, notBefore }) => type !== "refresh" || notBefore <= now);
  return next && next.notBefore <= now ? next : undefined;
}

/** The cast that is to go out with the frame, or not at all. */
export function openCast(frame: Frame): Cast | undefined {
  return frame.parts.find(({ cast }) => cast?.isOpen)?.cast;
}

/** The casts that these are parts of do not go out any more: whoever was not told yet is told singly. */
export function closeCasts(parts: readonly Part[]): void {
  for (const { cast } of parts) if (cast) cast.isOpen = false;
}

/** Whether the frame is nothing but its device's share of a cast. */
export function isShareOf(cast: Cast, { parts }: Frame): boolean {
  return parts.length === 1 && parts[0]?.cast === cast;
}

/** True when the newer command may travel in the same frame as the waiting one. */
function canMerge(waiting: Frame, newer: Frame): boolean {
  return waiting.absolute && newer.absolute && waiting.type === newer.type;
}

/**
 * Lays newer parts over a waiting frame, attribute by attribute.
 * @returns the frame, and the ids of those commands of which nothing is left to do.
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
      // A refresh has none to begin with: the newer one reads back what the older would have.
      if (targets(rest).length === 0) superseded.push(older.id);
      else left.push(rest);
    }
    parts = [...left, part];
  }
  return { frame: { ...newer, parts }, superseded };
}

/** Whether a newer frame leaves nothing to do of one that went out. */
export function overtakes(newer: Frame, older: Frame): boolean {
  return canMerge(older, newer) && merge(older, newer).superseded.length === older.parts.length;
}

function takenBy(attributes: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const taken = new Set(Object.keys(attributes));
  for (const [name, value] of Object.entries(attributes)) {
    // -1 says that the lamp is in another mode; it sets nothing.
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

/** The attributes that a device will show when it has carried the part out. */
export function targets({ attributes }: Part): string[] {
  return Object.keys(attributes).filter((name) => !modifiers.has(name));
}

/** What the frame asks of its device. */
export function commandOf(frame: Frame): DeviceCommand {
  if (frame.type !== "set") return { type: frame.type };
  const attributes: Record<string, unknown> = {};
  for (const part of frame.parts) Object.assign(attributes, part.attributes);
  return { type: "set", attributes };
}
