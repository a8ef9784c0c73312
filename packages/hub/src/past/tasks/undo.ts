import { Refused, type UndoFound, type UndoQuestion } from "@ledge/api";
import type { AnyDecider, LoggedEvent, Reader as States, RestorableKind } from "@ledge/model";
import { evolved, lastingTypes, settingsOf } from "@ledge/model";
import { kernelParts } from "../../start/kernel-parts.ts";
import type { Reader } from "../reader.ts";
import { type Segment, segments } from "../segments.ts";
import type { Task } from "./task.ts";

/** Returns the settings of an object before their last change, or at a time. */
export const undo: Task<"undo"> = (reader, question) => {
  const { kind, id, to } = question;
  const now = settingsOf(kind, reader.stateAt(reader.now).projection.read.get(kind, id));
  const timestamp = to ?? lastChange(reader, question);
  if (timestamp === undefined) return new Refused(404, `no ${kind} ${id}`);
  const { read } = reader.keptAt(to ?? timestamp - 1).projection;
  const state = read.get(kind, id);
  if (to !== undefined && state === undefined && now === null) return new Refused(404, `no ${kind} ${id}`);
  const isBack = now === null && state !== undefined;
  return {
    timestamp,
    before: settingsOf(kind, state),
    now,
    isOn: isBack && wasOnByHand(kind, id, read),
    devices: isBack ? [...within(kind, id, "device", read)] : [],
    groups: isBack ? [...within(kind, id, "group", read)] : [],
  } satisfies UndoFound;
};

/** Whether the rule was turned on by a person, and not by a scene or a timer. */
function wasOnByHand(kind: RestorableKind, id: string, read: States): boolean {
  const rule = kind === "rule" ? read.get("rule", id) : undefined;
  return rule !== undefined && rule.is_on && rule.scenes.length === 0 && rule.timers.length === 0;
}

function* within(
  kind: RestorableKind,
  id: string,
  of: "device" | "group",
  read: States,
): Generator<string, void> {
  for (const [member, state] of read.all(of)) {
    const zones = "zones" in state ? state.zones : [];
    if (kind === "room" ? state.room.includes(id) : kind === "zone" && zones.includes(id)) yield member;
  }
}

/**
 * Returns the commit (ms) that last changed the settings of an object; undefined when none did. It searches the
 * log between its bases, newest part first.
 */
function lastChange(reader: Reader, { kind, id }: UndoQuestion): number | undefined {
  const decider = kernelParts.aggregates.find((one) => one.kind === kind) as AnyDecider;
  const types = new Set(lastingTypes(decider));
  for (const segment of segments(reader.log, 0, reader.now)) {
    const found = lastChangeIn(reader, decider, types, { kind, id }, segment);
    if (found !== undefined) return found;
  }
  return undefined;
}

function lastChangeIn(
  reader: Reader,
  decider: AnyDecider,
  types: ReadonlySet<string>,
  { kind, id }: UndoQuestion,
  { after: start, until: end }: Segment,
): number | undefined {
  const own: { readonly timestamp: number; readonly events: readonly LoggedEvent[] }[] = [];
  for (const { timestamp, events } of reader.log.read(start, end)) {
    reader.spend();
    const found = events.filter((event) => event.id === id && types.has(event.type));
    if (found.length > 0) own.push({ timestamp, events: found });
  }
  if (own.length === 0) return undefined;
  let state: unknown = start === 0 ? undefined : reader.keptAt(start).projection.read.get(kind, id);
  let last: number | undefined;
  for (const { timestamp, events } of own) {
    const before = JSON.stringify(settingsOf(kind, state));
    for (const event of events) state = evolved(decider, state, event, timestamp);
    if (JSON.stringify(settingsOf(kind, state)) !== before) last = timestamp;
  }
  return last;
}
