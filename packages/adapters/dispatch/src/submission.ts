import type { AdapterErrorCode, DeviceCommand, NativeId } from "@ledge/port";
import type { Match } from "./echo.ts";

/** A command on its way to a device. */
export interface Submission {
  readonly id: string;
  readonly native: NativeId;
  readonly radio: string;
  readonly command: DeviceCommand;
  /** False for an impulse (a siren, an unlock): it is never merged and never sent twice. */
  readonly absolute: boolean;
  /** The device's last known attributes, to recognise late reports of them. */
  readonly before?: Readonly<Record<string, unknown>>;
  /**
   * How long (ms) it may be sent and retried. Default: `limits.commandTimeoutMs`; a minute for a refresh,
   * which no caller awaits and which follows the commands before it.
   */
  readonly ttlMs?: number;
  /**
   * When its lifetime began (ms), for a command that has waited elsewhere. Default: when it was submitted.
   */
  readonly givenAt?: number;
}

/** The result of a command. */
export type Outcome =
  | { readonly result: "done" }
  /** Newer commands replaced all its attributes before it was sent. */
  | { readonly result: "superseded" }
  /** The device sleeps. The caller submits it again when the device has woken up. */
  | { readonly result: "deferred"; readonly message: string }
  | { readonly result: "failed"; readonly code: AdapterErrorCode; readonly message: string };

/** An action for the caller. `settle` comes exactly once for each submission. */
export type Effect =
  | {
      readonly type: "send";
      readonly send: number;
      readonly native: NativeId;
      readonly command: DeviceCommand;
      readonly timeoutMs: number;
    }
  /** One frame to the members of a group that have nothing else in flight. */
  | {
      readonly type: "cast";
      readonly send: number;
      readonly group: string;
      readonly natives: readonly NativeId[];
      readonly command: DeviceCommand;
      readonly timeoutMs: number;
    }
  /**
   * No submission waits for this send any more. The adapter must still report its outcome; until then it
   * counts on its radio.
   */
  | { readonly type: "cancel"; readonly send: number }
  | { readonly type: "settle"; readonly id: string; readonly outcome: Outcome };

/** Options of `createDispatch`. */
export interface DispatchOptions {
  /** The in-flight limit of a radio. Sends to silent devices leave one place free (ADR 57). */
  readonly inFlight: (radio: string) => number;
  /**
   * The limit of waiting commands. Default: `limits.commandsQueued`. A command that merges into a waiting one
   * needs no room, nor does a refresh: at most one follows each waiting command.
   */
  readonly queued?: number;
  /** The backoff before the second and later tries (ms). */
  readonly backoffMs?: readonly number[];
  /** The time limit of one try (ms). */
  readonly sendTimeoutMs?: number;
}

/**
 * Schedules commands on one adapter's radios: limits what is in flight, merges, retries, and recognises
 * echoes among reports. Has no clock and no radio: each call takes the time (ms, monotonic) and returns
 * effects for the caller.
 */
export interface Dispatch {
  /** Queues a command and sends what is possible. */
  submit(submission: Submission, now: number): Effect[];
  /**
   * Submits the same absolute `set` for every member that a group has on a radio. One cast delivers it to the
   * members that are free; busy members, and members that miss the cast, get it singly. A cast also reaches
   * members that are not in `submissions`, so those must be unable to carry out any of it.
   */
  cast(group: string, submissions: readonly Submission[], now: number): Effect[];
  /**
   * The result of a cast at one device, before the outcome of the whole cast. Ignores unknown sends and
   * devices.
   */
  answered(
    send: number,
    native: NativeId,
    error: { readonly code: AdapterErrorCode; readonly message: string } | undefined,
    now: number,
  ): Effect[];
  /**
   * The adapter's answer to a send; without `error` the device has accepted it. A device that has not
   * answered its cast by then has missed it. Ignores unknown sends.
   */
  outcome(
    send: number,
    error: { readonly code: AdapterErrorCode; readonly message: string } | undefined,
    now: number,
  ): Effect[];
  /**
   * Explains a report by earlier commands. Settles a command that waits for a retry when its echo arrives.
   */
  report(
    native: NativeId,
    attributes: Readonly<Record<string, unknown>>,
    now: number,
  ): { effects: Effect[]; matches: Match[] };
  /**
   * Sends nothing until `resume`, because the adapter is away. Waiting commands keep their deadlines and fail
   * as `unreachable` when they expire.
   */
  hold(): void;
  /**
   * Sends waiting commands without the rest of their backoff: the adapter is back. Harmless without a `hold`.
   */
  resume(now: number): Effect[];
  /** Does what is due. */
  tick(now: number): Effect[];
  /** Fails all commands of a device as `refused`, because the device is gone. */
  forget(native: NativeId, now: number): Effect[];
  /** When to call `tick` next; undefined when nothing is due. */
  due(): number | undefined;
  /** The number of waiting commands, without those in flight. */
  readonly waiting: number;
}
