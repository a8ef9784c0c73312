import type { Cause, Command, Origin, Rejection } from "@ledge/model";
import type { KernelState } from "./kernel.ts";

/** Commands handed to the kernel together, and on whose behalf. */
export interface Submission {
  readonly commands: readonly Command[];
  readonly origin: Origin;
  /** What led to them: a request, or the event of a command that a report confirms. */
  readonly cause?: Cause;
  /** First link of the chain that `cause` belongs to, and how far along it this is; absent at a beginning. */
  readonly root?: Cause;
  readonly depth?: number;
  /** True for telemetry that may wait up to the window for company; anything else is committed at once. */
  readonly quiet?: boolean;
  /** It came through the relay: nothing of it may reach a device before it is durable. */
  readonly relayed?: boolean;
  /** Judge each command for itself; otherwise one rejection refuses all. */
  readonly each?: boolean;
}

/** What became of one command: the id that it created or addressed, or why it was refused. */
export type CommandResult =
  | { readonly id: string | undefined; readonly events: number; readonly rejection?: undefined }
  | { readonly rejection: Rejection };

/**
 * The answer to a submission, given when what it led to is durable and visible. `timestamp` is the commit's
 * (ms), or the newest published when nothing changed.
 */
export type Outcome =
  | { readonly accepted: true; readonly timestamp: number; readonly results: readonly CommandResult[] }
  | { readonly accepted: false; readonly index: number; readonly rejection: Rejection };

export type KernelErrorCode = "read-only" | "failed" | "busy" | "spent" | "closed";

/**
 * Why a submission was neither accepted nor refused: nothing can be written (`read-only`), the commit did not
 * become durable (`failed`), too much is queued (`busy`), its origin has added as much to the log as it may for now
 * (`spent`), or the kernel is closed. Nothing of it was applied.
 */
export class KernelError extends Error {
  override readonly name = "KernelError";
  readonly code: KernelErrorCode;
  /** After how long (ms) the same may be taken, where that is known. */
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

/** Whether a submission was not taken because nothing can be written now; the same may be taken later. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof KernelError && error.code === "read-only";
}

/**
 * Why a submission is not taken in a state, or no longer, after `cause`.
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
    case "failed":
      return new KernelError("failed", "the change could not be stored", options);
  }
}
