import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { LineFaults } from "./line-faults.ts";

/** A host's end of the serial line. */
export interface HostLine {
  /** Takes bytes from the host. */
  receive(chunk: Uint8Array): void;
  /** Called when the host has closed the port. The stick goes on. */
  close(): void;
}

/** A stick of any protocol, as far as its port and its power are concerned. */
export interface PluggableStick {
  readonly faults: Pick<LineFaults, "cut">;
  /** Opens the port for a host. Only one host has it; an earlier one hears nothing more. */
  connect(write: (bytes: Uint8Array) => void): HostLine;
  /** Switches the power. Without it the stick is silent and keeps only its memory. */
  power(isOn: boolean): void;
}

/** A stick at a TCP port of this machine, like that of a serial server. */
export interface ServedStick<Kind extends PluggableStick = PluggableStick> {
  readonly port: number;
  /** The name for hosts: `tcp://127.0.0.1:<port>`. */
  readonly path: string;
  /** The current stick, or the last one. */
  readonly stick: Kind;
  /** Pulls the stick out: its power and connection break, and the port is closed. */
  unplug(): Promise<void>;
  /** Pulls the stick out during its next frame, so that the host gets only the first half of that. */
  unplugMidFrame(): Promise<void>;
  /** Plugs the stick or another one in. */
  plug(other?: Kind): Promise<void>;
  close(): Promise<void>;
}

/** @param wanted the port; 0: a free one */
export async function serveStick<Kind extends PluggableStick>(
  first: Kind,
  wanted = 0,
): Promise<ServedStick<Kind>> {
  let stick = first;
  let socket: Socket | null = null;
  let server = await listen(wanted);
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
    // Data that is already written still goes out.
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
      if (server.listening) throw new Error("a stick is already plugged in");
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
