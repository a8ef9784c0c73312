import type { HubPorts } from "./ports.ts";

/**
 * Returns the time (ms since the epoch) against which to check the expiry of keys and codes. While the wall clock is
 * not trusted, this is the log's last timestamp, so a clock set back does not revive an expired key.
 */
export function nowForExpiry({ kernel, clock }: Pick<HubPorts, "kernel" | "clock">): number {
  return kernel.clockTrusted ? clock.wall() : kernel.timestamp;
}
