import type { HubPorts } from "./ports.ts";

/**
 * What the expiry of keys and codes is compared with (ms since the epoch): while the wall clock is not believed, the
 * log's last timestamp, so that a clock that was put back makes nothing valid again.
 */
export function nowForExpiry({ kernel, clock }: Pick<HubPorts, "kernel" | "clock">): number {
  return kernel.clockTrusted ? clock.wall() : kernel.timestamp;
}
