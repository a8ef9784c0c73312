import type { AdapterErrorCode, DeviceCommand, NativeId } from "@ledge/port";
import type { Match } from "./echo.ts";

/** A command on its way to a device. */
export interface Submission {
  readonly id: string;
  readonly native: NativeId;
  readonly radio: string;
  readonly command: DeviceCommand;
  /** False for an impulse (a siren, an unlock): it is neither merged nor sent twice. */
  readonly absolute: boolean;
  /** The device's attributes as they were last known, to tell late reports of them. */
  readonly before?: Readonly<Record<string, unknown>>;
  /**
   * For how long (ms) it may be sent and sent again. Default: `limits.commandTimeoutMs`; a minute for a refresh,
   * for which nobody waits and which comes after the commands before it.
   */
  readonly ttlMs?: number;
  /** Since when that counts (ms), for one that has waited elsewhere. Default: since it was submitted. */
  readonly givenAt?: number;
}

export type Outcome =
  | { readonly result: "done" }
  /** Every attribute of it was overtaken by newer commands before it was sent. */
  | { readonly result: "superseded" }
  | { readonly result: "failed"; readonly code: AdapterErrorCode; readonly message: string };

/** What the caller has to do. `settle` comes exactly once for each submission. */
export type Effect =
  | {
      readonly type: "send";
      readonly send: number;
      readonly native: NativeId;
      readonly command: DeviceCommand;
      readonly timeoutMs: number;
    }
  /** One frame to the members of a group that have nothing else under way. */
  | {
      readonly type: "cast";
      readonly send: number;
      readonly group: string;
      readonly natives: readonly NativeId[];
      readonly command: DeviceCommand;
      readonly timeoutMs: number;
    }
  /**
   * Nobody waits for this send any more. Its outcome still has to be told: until then the adapter may be at it,
   * and it counts on its radio.
   */
  | { readonly type: "cancel"; readonly send: number }
  | { readonly type: "settle"; readonly id: string; readonly outcome: Outcome };

export interface DispatchOptions {
  /** Commands that may be under way on a radio at once; those that will hardly be answered leave one place (ADR 57). */
  readonly inFlight: (radio: string) => number;
  /**
   * Commands that may wait. Default: `limits.commandsQueued`. One that merges into a waiting one needs no room,
   * nor does a refresh: at most one follows each waiting command.
   */
  readonly queued?: number;
  /** Pauses before the second and later tries. */
  readonly backoffMs?: readonly number[];
  /** How long one try may take. */
  readonly sendTimeoutMs?: number;
}

/**
 * The order between commands and one adapter's radios: how many are under way, what may be merged, what is
 * tried again, and which reports are echoes. Holds state, but no clock and no radio: time (ms, monotonic)
 * comes in with each call, and each call returns what has to be done.
 */
export interface Dispatch {
  submit(submission: Submission, now: number): Effect[];
  /**
   * Submits the same absolute `set` for every member that a group has on a radio. Those that are free when the
   * radio is get it in one cast; the others, and whoever misses it, are told singly. Members that `submissions`
   * leaves out must be unable to do any of it, as a cast reaches them too.
   */
  cast(group: string, submissions: readonly Submission[], now: number): Effect[];
  /** What has become of a cast at one device, before the outcome of it all. What is not known is no error. */
  answered(
    send: number,
    native: NativeId,
    error: { readonly code: AdapterErrorCode; readonly message: string } | undefined,
    now: number,
  ): Effect[];
  /**
   * The adapter's answer to a send; `error` absent: the device has taken it. Devices that have not answered a cast
   * before have missed it. An unknown send is no error.
   */
  outcome(
    send: number,
    error: { readonly code: AdapterErrorCode; readonly message: string } | undefined,
    now: number,
  ): Effect[];
  /** Explains a report by the commands before it. A command that waits for another try is done when its echo came. */
  report(
    native: NativeId,
    attributes: Readonly<Record<string, unknown>>,
    now: number,
  ): { effects: Effect[]; matches: Match[] };
  /**
   * The adapter is away: nothing goes out before `resume`. What waits keeps its time, and fails as `unreachable` when
   * that is over.
   */
  hold(): void;
  /** The adapter is back: what waits goes out without the rest of its pauses. Of none that was held this is no error. */
  resume(now: number): Effect[];
  /** Does what has become due. */
  tick(now: number): Effect[];
  /** The device is gone: all that waits for it fails as `refused`. */
  forget(native: NativeId, now: number): Effect[];
  /** When `tick` is next wanted; undefined when nothing is waited for. */
  due(): number | undefined;
  /** Commands that wait, those under way not counted. */
  readonly waiting: number;
}
