import type { Cause, Command, Origin, Rejection } from "@ledge/model";

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

export type KernelErrorCode = "read-only" | "failed" | "busy" | "closed";

/**
 * Why a submission was neither accepted nor refused: the disk is full (`read-only`), the commit did not become
 * durable (`failed`), too much is queued (`busy`), or the kernel is closed. Nothing of it was applied.
 */
export class KernelError extends Error {
  override readonly name = "KernelError";
  readonly code: KernelErrorCode;
  constructor(code: KernelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Why a submission is not taken in a state, or no longer, after `cause`. */
export function refusalOf(state: KernelErrorCode | "serving", cause?: Error): KernelError {
  const options = cause === undefined ? undefined : { cause };
  switch (state) {
    case "read-only":
      return new KernelError(state, "the disk is full: nothing can be changed now", options);
    case "closed":
      return new KernelError(state, "the hub is stopping", options);
    case "busy":
      return new KernelError(state, "too many submissions are queued", options);
    case "serving":
    case "failed":
      return new KernelError("failed", "the change could not be stored", options);
  }
}
