import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Stick } from "./stick.ts";

/** A stick at a TCP port of this machine, as serial servers in the network offer theirs. */
export interface ServedStick {
  readonly port: number;
  /** As hosts name it: `tcp://127.0.0.1:<port>`. */
  readonly path: string;
  /** The stick that is plugged in, or was last. */
  readonly stick: Stick;
  /** It is pulled out: no power, its connection breaks, nobody listens at the port. */
  unplug(): Promise<void>;
  /** It is pulled out while it sends its next frame: the first half of that is the last that its host gets. */
  unplugMidFrame(): Promise<void>;
  /** It is plugged in again, or another in its place. */
  plug(other?: Stick): Promise<void>;
  close(): Promise<void>;
}

export async function serveStick(first: Stick): Promise<ServedStick> {
  let stick = first;
  let socket: Socket | null = null;
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  async function listen(at: number): Promise<Server> {
    const listening = createServer((accepted) => {
      socket?.destroy();
      socket = accepted;
      accepted.setNoDelay(true);
      const line = stick.connect((bytes) => void accepted.write(bytes));
      accepted.on("data", (chunk) => line.receive(chunk));
      accepted.on("error", () => {});
      accepted.on("close", () => line.close());
    });
    listening.listen(at, "127.0.0.1");
    await once(listening, "listening");
    return listening;
  }

  async function shut(): Promise<void> {
    // What is written already still goes out.
    socket?.destroySoon();
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    await closed;
  }

  return {
    port,
    path: `tcp://127.0.0.1:${port}`,
    get stick() {
      return stick;
    },
    async unplug() {
      stick.power(false);
      await shut();
    },
    unplugMidFrame: () =>
      new Promise((resolve) => {
        stick.faults.cut(() => {
          stick.power(false);
          resolve(shut());
        });
      }),
    async plug(other = stick) {
      if (server.listening) throw new Error("a stick is plugged in");
      stick = other;
      stick.power(true);
      server = await listen(port);
    },
    async close() {
      stick.power(false);
      await shut();
    },
  };
}
