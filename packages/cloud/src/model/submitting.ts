import type { Kernel } from "@ledge/kernel";
import type { Command, Origin, Rejection } from "@ledge/model";
import type { CloudStates } from "./states.ts";

export type AnyCommand = Command & Readonly<Record<string, unknown>>;

/**
 * Submits commands of which one rejection refuses all.
 * @returns why they were refused; undefined once what they led to is durable
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

/** The time (ms) by which the cloud judges: commits made in quick succession lead the clock a little. */
export function timeOf(kernel: Pick<Kernel<CloudStates>, "timestamp" | "now">): number {
  return Math.max(kernel.timestamp, kernel.now());
}
