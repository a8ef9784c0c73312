import type { Cause, Command, Origin, Rejection } from "@ledge/model";
import type { KernelState } from "./health.ts";

/** Commands handed to the kernel together, and on whose behalf. */
export interface Submission {
  readonly commands: readonly Command[];
  readonly origin: Origin;
  /** What led to them: a request, or the event of a command that a report confirms. */
  readonly cause?: Cause;
  /** The first link of the chain of `cause`, and how far along the chain this is. Absent at the start of a chain. */
  readonly root?: Cause;
  readonly depth?: number;
  /** True for telemetry that may wait up to the window for further events. Anything else is committed at once. */
  readonly quiet?: boolean;
  /** True when it came through the relay. Its effects must be durable before they reach a device. */
  readonly relayed?: boolean;
  /** Judges each command on its own; otherwise one rejection refuses all. */
  readonly each?: boolean;
}

/** The outcome of one command: the id that it created or addressed, or why it was refused. */
export type CommandResult =
  | { readonly id: string | undefined; readonly events: number; readonly rejection?: undefined }
  | { readonly rejection: Rejection };

/**
 * The answer to a submission, given when its events are durable and visible. `timestamp` is the commit's (ms), or
 * the newest published when nothing changed.
 */
export type Outcome =
  | { readonly accepted: true; readonly timestamp: number; readonly results: readonly CommandResult[] }
  | { readonly accepted: false; readonly index: number; readonly rejection: Rejection };

export type KernelErrorCode = "read-only" | "failed" | "busy" | "spent" | "closed";

/**
 * Why a submission was neither accepted nor refused: nothing can be written (`read-only`), the commit did not
 * become durable (`failed`), too much is queued (`busy`), its origin has used up its allowance for now (`spent`),
 * or the kernel is closed. Nothing of it was applied.
 */
export class KernelError extends Error {
  override readonly name = "KernelError";
  readonly code: KernelErrorCode;
  /** After how long (ms) to try again, if that is known. */
  readonly waitMs: number | undefined;
  constructor(
    code: KernelErrorCode,
    message: string,
    options: ErrorOptions & { readonly waitMs?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.waitMs = options.waitMs;
  }
}

/** Whether a submission failed only because nothing can be written now. It may be tried again later. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof KernelError && error.code === "read-only";
}

/**
 * Returns the error for a submission that a state refuses, or that failed because of `cause`.
 * @param reason why the kernel is read-only, in words
 */
export function refusalOf(
  state: KernelErrorCode | KernelState,
  reason: string | null,
  cause?: Error,
): KernelError {
  const options = cause === undefined ? undefined : { cause };
  switch (state) {
    case "read-only":
    case "safe-mode":
    case "rescue":
      return new KernelError("read-only", `nothing can be changed now: ${reason ?? state}`, options);
    case "closed":
      return new KernelError(state, "the hub is stopping", options);
    case "busy":
      return new KernelError(state, "too many submissions are queued", options);
    case "spent":
    case "serving":
    case "following":
    case "failed":
      return new KernelError("failed", "the change could not be stored", options);
  }
}
