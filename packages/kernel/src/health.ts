/**
 * - `read-only`: the disk is full; `serving` again when there is room.
 * - `safe-mode`: an event in the log cannot be applied; the state is the one before it.
 * - `rescue`: the log cannot be opened; the state is what could be read.
 * - `following`: another process writes the log; what is submitted goes there.
 * - `failed`: a write failed and the process must end.
 */
export type KernelState =
  | "serving"
  | "following"
  | "read-only"
  | "safe-mode"
  | "rescue"
  | "failed"
  | "closed";

export interface KernelHealth {
  readonly state: KernelState;
  /** Why it is not serving; null while it is. */
  readonly reason: string | null;
  /** Submissions that are not yet answered. */
  readonly queued: number;
  readonly commits: number;
  /** False while the wall clock is not trusted; timestamps then run on elapsed time. */
  readonly clockTrusted: boolean;
  /** Whether the log exceeds its quota. */
  readonly quotaExceeded: boolean;
}
