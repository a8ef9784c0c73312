import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.ts";

/** A NATS server of its own, on 127.0.0.1. */
export class NatsServer {
  readonly #port: number;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, args: readonly string[]) {
    this.#port = port;
    this.#args = args;
  }

  /** @param args further arguments of nats-server */
  static async start(...args: readonly string[]): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), args);
    await server.resume();
    return server;
  }

  /** @param login user:password */
  url(login?: string): string {
    return `nats://${login === undefined ? "" : `${login}@`}127.0.0.1:${this.#port}`;
  }

  /** Starts the server at its port. */
  async resume(): Promise<void> {
    const args = ["-a", "127.0.0.1", "-p", `${this.#port}`, ...this.#args];
    const started = spawn("nats-server", args, { stdio: ["ignore", "ignore", "pipe"] });
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
