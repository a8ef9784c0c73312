// One function for each row of the hub's API that the interface calls; no other file names a path.
import type { ConfigurationObject, RestorableKind, Why } from "@ledge/model";
import type { HubInfo, PollAnswer } from "../store/wire.ts";
import { type Answer, call } from "./call.ts";
import { askPast } from "./turns.ts";

/** What the hub is; needs no key. */
export function hub(signal?: AbortSignal): Promise<Answer<HubInfo>> {
  return call("/hub", { unversioned: true, ...(signal && { signal }) });
}

/** Which role a key has. */
export function keyCheck(key: string): Promise<Answer<{ readonly role: number }>> {
  return call("/hub/keycheck", { key });
}

/**
 * What has changed since a cursor.
 * @param wait how long the hub may hold the request (ms) @param read reads the text of the answer
 * @param client by which id the hub knows this browser as its user's presence; null: not at all
 */
export function poll(
  ts: number,
  wait: number,
  signal: AbortSignal,
  read: (text: string) => Promise<PollAnswer>,
  client: string | null = null,
): Promise<Answer<PollAnswer>> {
  const named = client === null ? {} : { vendor_uuid: client };
  return call("/hub/poll", { query: { ts, wait, ...named }, signal, timeoutMs: wait + 10_000, read });
}

/** A command of the hub API, such as CMD_DEVICE. */
export interface Command {
  readonly type: string;
  readonly id: string;
  readonly [field: string]: unknown;
}

export function commandDevices(...commands: readonly Command[]): Promise<Answer<unknown>> {
  return call("/devices/command", { method: "PUT", body: commands });
}

/** Tells all members of a group to take values. */
export function commandGroup(id: string, state: Readonly<Record<string, unknown>>): Promise<Answer<unknown>> {
  return call("/groups/command", { method: "PUT", body: [{ type: "CMD_DEVICE", id, state }] });
}

export function changeDevices(...commands: readonly Command[]): Promise<Answer<true>> {
  return call("/devices", { method: "PUT", body: commands });
}

/** Takes devices out of the home; the radio or network of each forgets it. */
export function removeDevices(...ids: readonly string[]): Promise<Answer<true>> {
  return call("/devices", { method: "DELETE", body: ids });
}

export function commandScenes(...commands: readonly Command[]): Promise<Answer<unknown>> {
  return call("/scenes/command", { method: "PUT", body: commands });
}

/** The settings of a device, with the form to change them. */
export function configuration(deviceId: string, signal: AbortSignal): Promise<Answer<ConfigurationObject>> {
  return call("/devices/configuration", { query: { deviceId }, signal });
}

export function configure(id: string, parameters: Readonly<Record<string, unknown>>): Promise<Answer<true>> {
  return call("/devices/configuration", { method: "PUT", body: { type: "CONFIGURATION", id, parameters } });
}

/** What a device has reported of an attribute, in at most 300 points; times in ms since the epoch. */
export interface History {
  readonly from: number;
  readonly to: number;
  readonly before: { readonly value: unknown } | null;
  readonly form: "samples" | "buckets" | "changes" | "shares";
  readonly points: readonly Readonly<Record<string, unknown>>[];
}

export function history(
  deviceId: string,
  attribute: string,
  from: number,
  signal: AbortSignal,
  to?: number,
): Promise<Answer<History>> {
  const until = to === undefined ? {} : { to: Math.round(to) };
  const query = { deviceId, attribute, from: Math.max(0, Math.round(from)), ...until, points: 300 };
  return askPast("/devices/history", { query, signal });
}

/** Why an attribute of an object is as it is, or as it was at a time (ms). */
export function why(
  id: string,
  attribute: string,
  signal: AbortSignal,
  at: number | null = null,
): Promise<Answer<Why>> {
  const query = { id, attribute, ...(at !== null && { at }) };
  return askPast("/why", { query, signal });
}

export interface Undone {
  /** False: it was like that. */
  readonly changed: boolean;
}

/** Puts the settings of an object back: as they were at a time (ms), or as before their last change. */
export function undo(kind: RestorableKind, id: string, to?: number): Promise<Answer<Undone>> {
  const at = to === undefined ? {} : { to: Math.floor(to) };
  // The hub looks the change up in the past.
  return askPast("/undo", { method: "POST", body: { kind, id, ...at } });
}

/** Ids of devices by the name of their room. */
export type Arrangement = Readonly<Record<string, readonly string[]>>;

function arranging(name: string, rooms: Arrangement): object {
  const devices = Object.entries(rooms).flatMap(([room, ids]) => ids.map((id) => [id, { room }] as const));
  return { name, rooms: { names: Object.keys(rooms) }, devices: Object.fromEntries(devices) };
}

/** Makes rooms and puts devices into them, all or nothing. */
export function arrangeRooms(name: string, rooms: Arrangement): Promise<Answer<unknown>> {
  return call("/hub/autoconfig", { method: "PUT", body: arranging(name, rooms) });
}

/** What an arrangement would do to one object. */
export interface Difference {
  /** The kind of the object, such as `room`. */
  readonly object: string;
  readonly change: "create" | "change" | "remove" | "pair" | "ask";
  readonly name: string;
}

/** Asks what `arrangeRooms` would change, or why the hub would refuse it. Nothing changes. */
export function tryRooms(
  name: string,
  rooms: Arrangement,
  signal: AbortSignal,
): Promise<Answer<{ readonly differences: readonly Difference[] }>> {
  const body = arranging(name, rooms);
  return call("/hub/autoconfig", { method: "PUT", query: { dryRun: true }, body, signal });
}

/** Takes back the last arrangement of rooms. */
export function undoArranged(): Promise<Answer<unknown>> {
  return call("/hub/autoconfig/undo", { method: "PUT" });
}

export function closeAlarm(alarmId: string): Promise<Answer<true>> {
  return call("/alarms/close", { method: "PUT", query: { alarmId } });
}
