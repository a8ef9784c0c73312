import type { Http2Session } from "node:http2";
import { limits } from "@ledge/model";
import type { TunnelDuplex } from "./tunnel-duplex.ts";

/** Calls back once after `ms` of elapsed time; the returned function cancels. */
export interface After {
  after(ms: number, callback: () => void): () => void;
}

/** How often the other end is asked whether it is there, and how long it may say nothing at all then (ms). */
export interface LivenessTimes {
  readonly tunnelPingMs: number;
  readonly tunnelSilenceMs: number;
}

/**
 * Pings the other end of a tunnel until the session closes, and destroys session and tunnel when nothing comes
 * back. Any byte counts: behind a large body the answer may be long in coming.
 */
export function keepAlive(
  session: Http2Session,
  duplex: TunnelDuplex,
  clock: After,
  { tunnelPingMs, tunnelSilenceMs }: LivenessTimes = limits,
): void {
  let cancel = clock.after(tunnelPingMs, ping);
  session.once("close", () => cancel());

  function ping(): void {
    const before = duplex.received;
    if (!session.destroyed && !session.closed) session.ping(() => {});
    cancel = clock.after(tunnelSilenceMs, () => {
      if (duplex.received === before) {
        session.destroy();
        duplex.destroy();
      } else cancel = clock.after(Math.max(0, tunnelPingMs - tunnelSilenceMs), ping);
    });
  }
}
