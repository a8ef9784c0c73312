import { connect } from "node:net";
import type { AdapterClock } from "@ledge/port";
import type { PortSettings, SerialTransport, TcpTransport } from "./settings.ts";

/** An open level converter or gateway. A lost one is not reopened. */
export interface Wire {
  write(bytes: Uint8Array): void;
  /** Resolves when it is lost or closed. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** The longest wait before a bus or a receiver is opened again. Meters are read by the hour. */
export const reopenMostMs = 60_000;
/** How long connecting may take. */
const connectMs = 5000;

/**
 * Opens a bus. Loads the serial library only for a serial port.
 * @param onBytes called with what comes from the bus
 * @param signal aborts the attempt
 * @throws Error with the reason
 */
export function openWire(
  { transport }: Pick<PortSettings, "transport">,
  clock: AdapterClock,
  onBytes: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): Promise<Wire> {
  return transport.type === "tcp"
    ? openTcp(transport, clock, onBytes, signal)
    : openSerial(transport, onBytes, signal);
}

async function openSerial(
  { path, baudRate, dataBits, stopBits, parity }: SerialTransport,
  onBytes: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): Promise<Wire> {
  const { SerialPort: Port } = await import("serialport");
  const port = new Port({ path, baudRate, dataBits, stopBits, parity, lock: true, autoOpen: false });
  const closed = new Promise<void>((resolve) => {
    port.once("close", () => resolve());
  });
  // A port that is gone closes after its error; any other error shows as a missing answer.
  port.on("error", () => {});
  port.on("data", onBytes);
  await new Promise<void>((resolve, reject) => {
    port.open((error) => (error ? reject(error) : resolve()));
  });
  const wire: Wire = {
    write: (bytes) => void port.write(Buffer.from(bytes)),
    closed,
    close: () =>
      new Promise((resolve) => {
        if (port.isOpen) port.close(() => resolve());
        else resolve();
      }),
  };
  if (!signal.aborted) return wire;
  await wire.close();
  throw new Error("given up");
}

function openTcp(
  { host, port }: TcpTransport,
  clock: AdapterClock,
  onBytes: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
    const closed = new Promise<void>((ended) => {
      socket.once("close", () => ended());
    });
    const fail = (reason: string): void => {
      settle();
      socket.destroy();
      reject(new Error(reason));
    };
    const stopTimer = clock.after(connectMs, () => fail("timed out while connecting"));
    const onAbort = (): void => fail("given up");
    const onError = (error: Error): void => fail(error.message);
    const settle = (): void => {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
      socket.off("error", onError);
      // A socket may emit more than one error; the first has already ended it.
      socket.on("error", () => {});
    };
    socket.once("error", onError);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => {
      settle();
      socket.on("data", onBytes);
      resolve({
        write: (bytes) => void socket.write(bytes),
        closed,
        close: async () => {
          socket.destroy();
          await closed;
        },
      });
    });
  });
}
