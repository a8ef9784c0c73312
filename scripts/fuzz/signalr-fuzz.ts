// Sends a SignalR hub mutated frames of both encodings, and compares it with the readers of the package; docs/fuzz.md.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { FuzzedConnection } from "@ledge/signalr/testing";
import { seeded } from "../crash/random.ts";
import { memoryOf } from "../process-memory.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";

/** Starts a hub, sends it the frames, and stops it again. */
export async function fuzzSignalr(options: FuzzOptions): Promise<FuzzResult> {
  return drive(await SignalrTarget.start(options.seed), options);
}

class SignalrTarget implements Target {
  readonly name = "signalr";
  readonly #seed: string;
  readonly #child: ChildProcess;
  readonly #connections: readonly FuzzedConnection[];
  #errors: readonly string[] = [];

  private constructor(seed: string, child: ChildProcess, url: string) {
    this.#seed = seed;
    this.#child = child;
    this.#connections = [false, true].map((isBinary) => new FuzzedConnection(url, isBinary));
    child.on("message", ({ error }: { readonly error: string }) => {
      this.#errors = [...this.#errors, `the hub was told an error: ${error}`];
    });
  }

  static async start(seed: string): Promise<SignalrTarget> {
    const program = join(import.meta.dirname, "signalr-hub.child.ts");
    const child = fork(program, [], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
    return new SignalrTarget(seed, child, url);
  }

  get runs(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async try(number: number): Promise<Tried> {
    const connection = this.#connections[number % 2] as FuzzedConnection;
    const { outcome, shown, problems } = await connection.try(seeded(`${this.#seed}/${number}`), number);
    return { statuses: [outcome], shown, problems: [...problems, ...this.#newErrors()] };
  }

  memory(): number {
    return memoryOf(this.#child.pid ?? 0, "RssAnon");
  }

  async finish(): Promise<readonly string[]> {
    for (const connection of this.#connections) connection.end();
    const left = (await this.#connections[0]?.countOfAll()) ?? NaN;
    return [...this.#newErrors(), ...(left === 1 ? [] : [`${left} connections are left`])];
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.end();
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  #newErrors(): readonly string[] {
    const errors = this.#errors;
    this.#errors = [];
    return errors;
  }
}
