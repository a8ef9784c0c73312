import type { Duplex } from "node:stream";
import type { AdapterClock } from "@ledge/port";
import { closeSerial, connectTcp, openSerial } from "@ledge/serial";
import type { PortSettings } from "./settings.ts";

/** An open level converter or gateway. A lost one is not reopened. */
export interface Wire {
  write(bytes: Uint8Array): void;
  /** Changes the speed of a serial port, bits per second; the bus behind a gateway keeps its own. */
  setBaudRate(baudRate: number): Promise<void>;
  /** Resolves when it is lost or closed. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** The longest wait before a bus or a receiver is opened again. Meters are read by the hour. */
export const reopenMostMs = 60_000;

/**
 * Opens a bus. Loads the serial library only for a serial port.
 * @param onBytes called with what comes from the bus
 * @param signal aborts the attempt
 * @throws Error with the reason
 */
export async function openWire(
  { transport }: Pick<PortSettings, "transport">,
  clock: AdapterClock,
  onBytes: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): Promise<Wire> {
  if (transport.type === "serial") {
    const port = await openSerial(transport, signal);
    port.on("data", onBytes);
    const setBaudRate = (baudRate: number): Promise<void> =>
      new Promise((resolve, reject) => {
        port.update({ baudRate }, (error) => (error ? reject(error) : resolve()));
      });
    return wireOf(port, () => closeSerial(port), setBaudRate);
  }
  const socket = await connectTcp(transport, clock, signal);
  socket.on("data", onBytes);
  return wireOf(socket, (closed) => {
    socket.destroy();
    return closed;
  });
}

function wireOf(
  opened: Pick<Duplex, "write" | "once">,
  close: (closed: Promise<void>) => Promise<void>,
  setBaudRate: Wire["setBaudRate"] = async () => {},
): Wire {
  const closed = new Promise<void>((resolve) => {
    opened.once("close", () => resolve());
  });
  return {
    write: (bytes) => void opened.write(Buffer.from(bytes)),
    setBaudRate,
    closed,
    close: () => close(closed),
  };
}
