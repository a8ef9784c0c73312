// Rows that look back.
import type { Device, Objects, Room } from "../store/wire.ts";
import type { Answer } from "./call.ts";
import { askPast } from "./turns.ts";

/** An event, in words. */
export interface TimelineEntry {
  readonly ref: string;
  /** ms since the epoch. */
  readonly at: number;
  /** Of the event. */
  readonly type: string;
  /** Of the object. */
  readonly kind: string;
  readonly object: { readonly kind: string; readonly id: string; readonly name: string } | null;
  readonly text: string;
  readonly origin: string;
  readonly cause: string | null;
  /** The attributes that a device reported. */
  readonly change: Readonly<Record<string, unknown>> | null;
}

/** Events and alarms of a slice of time, which begins at `at` (ms). */
export interface TimelineCount {
  readonly at: number;
  readonly events: number;
  readonly alarms: number;
}

/** TIMELINE: the newest entry first. */
export interface Timeline {
  readonly entries: readonly TimelineEntry[];
  /** `before` of the next page; null without one. */
  readonly next: string | null;
  readonly counts: readonly TimelineCount[] | null;
}

/** Which part of the past; times in ms since the epoch. */
export interface TimelineQuestion {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly kind?: string | undefined;
  /** Of one object. */
  readonly id?: string | undefined;
  /** Slices to count in. */
  readonly counts?: number | undefined;
}

export function timeline(question: TimelineQuestion, signal: AbortSignal): Promise<Answer<Timeline>> {
  return askPast("/timeline", { query: { ...question }, signal });
}

/** What somebody did, in words. */
export interface AuditEntry {
  readonly ref: string;
  /** ms since the epoch. */
  readonly at: number;
  /** Of the event. */
  readonly type: string;
  /** Where it came from, as far as the log says. */
  readonly from: "local" | "relay" | "console" | "cloud" | "bus" | null;
  readonly text: string;
}

/** AUDIT: the newest entry first. */
interface Audit {
  readonly entries: readonly AuditEntry[];
  /** `before` of the next page; null without one. */
  readonly next: string | null;
}

/** Which actions: of all users, about all objects and until now unless it says more. */
interface AuditQuestion {
  readonly user?: string | undefined;
  /** Of an object. */
  readonly id?: string | undefined;
  /** ms since the epoch. */
  readonly to?: number | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Who did what. */
export function audit(question: AuditQuestion, signal: AbortSignal): Promise<Answer<Audit>> {
  return askPast("/audit", { query: { ...question }, signal });
}

/** The home at a time (ms), a category for each row. */
export const pastRows = {
  devices: (at: number, signal: AbortSignal): Promise<Answer<Readonly<Record<string, Device>>>> =>
    askPast("/devices", { query: { at }, signal }),
  rooms: (at: number, signal: AbortSignal): Promise<Answer<Readonly<Record<string, Room>>>> =>
    askPast("/rooms", { query: { at }, signal }),
  scenes: (at: number, signal: AbortSignal): Promise<Answer<Readonly<Record<string, Objects["scenes"]>>>> =>
    askPast("/scenes", { query: { at }, signal }),
  rules: (at: number, signal: AbortSignal): Promise<Answer<Readonly<Record<string, Objects["rules"]>>>> =>
    askPast("/rules", { query: { at }, signal }),
  alarms: (at: number, signal: AbortSignal): Promise<Answer<Readonly<Record<string, Objects["alarms"]>>>> =>
    askPast("/alarms", { query: { at }, signal }),
} as const;
