import type { Kernel } from "@ledge/kernel";
import type { Command, Origin, Rejection } from "@ledge/model";
import type { CloudStates } from "./states.ts";

export type AnyCommand = Command & Readonly<Record<string, unknown>>;

/**
 * Submits commands as one: a single rejection refuses all of them.
 * @returns the rejection; undefined once the resulting events are durable
 * @throws KernelError
 */
export async function refusalOf(
  kernel: Pick<Kernel<CloudStates>, "submit">,
  origin: Origin,
  ...commands: readonly AnyCommand[]
): Promise<Rejection | undefined> {
  const outcome = await kernel.submit({ commands, origin });
  return outcome.accepted ? undefined : outcome.rejection;
}

/** Returns the time (ms) for the cloud's decisions: quick commits run slightly ahead of the clock. */
export function timeOf(kernel: Pick<Kernel<CloudStates>, "timestamp" | "now">): number {
  return Math.max(kernel.timestamp, kernel.now());
}
