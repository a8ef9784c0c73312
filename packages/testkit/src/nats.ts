import { freePort } from "./free-port.ts";
import { ServerProcess } from "./server-process.ts";

/** A NATS server of its own, on 127.0.0.1 by default. */
export class NatsServer {
  readonly #port: number;
  readonly #args: readonly string[];
  readonly #address: string;
  readonly #command: readonly string[];
  #process: ServerProcess | undefined;

  private constructor(
    port: number,
    args: readonly string[],
    address = "127.0.0.1",
    command: readonly string[] = [],
  ) {
    this.#port = port;
    this.#args = args;
    this.#address = address;
    this.#command = command;
  }

  /** Starts a server at another address. @param command what runs the program, as in a namespace */
  static async startAt(address: string, command: readonly string[]): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), [], address, command);
    await server.resume();
    return server;
  }

  /** @param args further arguments of nats-server */
  static async start(...args: readonly string[]): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), args);
    await server.resume();
    return server;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** @param login user:password */
  url(login?: string): string {
    return `nats://${login === undefined ? "" : `${login}@`}${this.#address}:${this.#port}`;
  }

  /** Starts the server at its port. */
  async resume(): Promise<void> {
    const args = ["-a", this.#address, "-p", `${this.#port}`, ...this.#args];
    const [program = "nats-server", ...rest] = [...this.#command, "nats-server", ...args];
    this.#process = await ServerProcess.start({
      command: [program, ...rest],
      isReady: /Server is ready/,
      endsBy: "SIGKILL",
    });
  }

  async kill(): Promise<void> {
    await this.#process?.end("SIGKILL");
    this.#process = undefined;
  }
}
