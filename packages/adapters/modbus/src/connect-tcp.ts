import { connect, type Socket } from "node:net";
import type { AdapterClock } from "@ledge/port";
import { Fault } from "./fault.ts";

/** How long connecting may take. */
const connectMs = 5000;

/**
 * Connects to a TCP server.
 * @param signal aborts the attempt.
 * @throws Fault `closed`
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
      reject(new Fault("closed", reason));
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
