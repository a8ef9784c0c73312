import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A forwarding port in front of a port of this machine. Closing it refuses new connections and cuts open ones. */
export class Door {
  /** The port that connections are forwarded to. */
  to: number;
  readonly #sockets = new Set<Socket>();
  #server: Server;
  port = 0;

  private constructor(to: number) {
    this.to = to;
    this.#server = this.#listener();
  }

  static async open(to: number): Promise<Door> {
    const door = new Door(to);
    await door.open();
    return door;
  }

  async open(): Promise<void> {
    this.#server = this.#listener().listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  #listener(): Server {
    return createServer((client) => {
      const hub = connect(this.to, "127.0.0.1");
      for (const [one, other] of [
        [client, hub],
        [hub, client],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => {});
        one.once("close", () => other.destroy());
        one.pipe(other);
      }
    });
  }
}
