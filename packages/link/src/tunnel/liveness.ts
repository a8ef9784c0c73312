import type { Http2Session } from "node:http2";
import type { Socket } from "node:net";
import { limits } from "@ledge/model";
import { TunnelDuplex } from "./tunnel-duplex.ts";

/** Calls back once after `ms` of elapsed time; the returned function cancels. */
export interface After {
  after(ms: number, callback: () => void): () => void;
}

/** How often to ping the other end, and how long it may then stay silent (ms). */
export interface LivenessTimes {
  readonly tunnelPingMs: number;
  readonly tunnelSilenceMs: number;
}

/**
 * Pings the other end of a tunnel until the session closes, and destroys session and tunnel when it stays
 * silent. Any byte counts, because the answer may have to wait behind a large body.
 */
export function keepAlive(
  session: Http2Session,
  duplex: TunnelDuplex | Socket,
  clock: After,
  { tunnelPingMs, tunnelSilenceMs }: LivenessTimes = limits,
): void {
  let cancel = clock.after(tunnelPingMs, ping);
  session.once("close", () => cancel());

  function ping(): void {
    const before = receivedBy(duplex);
    if (!session.destroyed && !session.closed) session.ping(() => {});
    const isSilent = (): boolean => receivedBy(duplex) === before;
    cancel = clock.after(tunnelSilenceMs, () => {
      if (!isSilent()) return again();
      cancel = afterReading(() => {
        if (!isSilent()) return again();
        session.destroy();
        duplex.destroy();
      });
    });
  }

  function again(): void {
    cancel = clock.after(Math.max(0, tunnelPingMs - tunnelSilenceMs), ping);
  }
}

/**
 * Calls back once everything that has arrived by now is read: a process that gets no processor, or was suspended, runs
 * its timers before it reads, so the silence may be its own. The returned function cancels.
 */
function afterReading(callback: () => void): () => void {
  // Between two of them the loop reads, wherever it is now.
  let waiting = setImmediate(() => (waiting = setImmediate(callback)));
  return () => clearImmediate(waiting);
}

function receivedBy(duplex: TunnelDuplex | Socket): number {
  return duplex instanceof TunnelDuplex ? duplex.received : duplex.bytesRead;
}
