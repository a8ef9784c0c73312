// Opens what carries bytes: a serial port, or a TCP connection to what has one.
import { connect, type Socket } from "node:net";
import type { AdapterClock } from "@ledge/port";
import type { SerialPort as OpenPort } from "serialport";
import type { SerialFormat } from "./serial-requests.ts";

/** How long connecting may take. */
const connectMs = 5000;

/**
 * Opens a serial port exclusively. Loads the serial library only now.
 * @param signal aborts the attempt
 * @throws Error with the reason
 */
export async function openSerial(
  { path, baudRate, dataBits, stopBits, parity }: SerialFormat & { readonly path: string },
  signal: AbortSignal,
): Promise<OpenPort> {
  const { SerialPort: Port } = await import("serialport");
  const port = new Port({ path, baudRate, dataBits, stopBits, parity, lock: true, autoOpen: false });
  // A port that is gone closes after its error; any other error shows as a missing answer.
  port.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    port.open((error) => (error ? reject(error) : resolve()));
  });
  if (!signal.aborted) return port;
  await closeSerial(port);
  throw new Error("given up");
}

/** Closes a serial port; one that is closed stays so. Never fails. */
export function closeSerial(port: OpenPort): Promise<void> {
  return new Promise((resolve) => {
    if (port.isOpen) port.close(() => resolve());
    else resolve();
  });
}

/**
 * Connects to a TCP server. An error that comes later shows as the end of the connection.
 * @param signal aborts the attempt
 * @throws Error with the reason
 */
export function connectTcp(
  { host, port }: { readonly host: string; readonly port: number },
  clock: AdapterClock,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
    const fail = (reason: string): void => {
      settle();
      socket.destroy();
      reject(new Error(reason));
    };
    const stopTimer = clock.after(connectMs, () => fail("timed out while connecting"));
    const onError = (error: Error): void => fail(error.message);
    const onAbort = (): void => fail("given up");
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
      resolve(socket);
    });
  });
}
