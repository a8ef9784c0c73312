import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.ts";

/** A NATS server of its own, on 127.0.0.1 by default. */
export class NatsServer {
  readonly #port: number;
  readonly #args: readonly string[];
  readonly #address: string;
  readonly #command: readonly string[];
  #process: ChildProcess | undefined;

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
    const [program, ...rest] = [...this.#command, "nats-server", ...args];
    const started = spawn(program ?? "", rest, { stdio: ["ignore", "ignore", "pipe"] });
    this.#process = started;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const lines: string[] = [];
    createInterface({ input: started.stderr }).on("line", (line) => {
      lines.push(line);
      if (line.includes("Server is ready")) resolve();
    });
    started.once("error", reject);
    started.once("exit", () => reject(new Error(`nats-server ended: ${lines.join("\n")}`)));
    await promise;
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
  }
}
