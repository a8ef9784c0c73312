import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** How many of its last words a server's end is told with. */
const lastLines = 100;

export interface ServerOptions {
  /** The program, with its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** A line of its log that says that it serves. */
  readonly isReady: RegExp;
  /** What ends it at once: it gets that too when this process is gone, however that ended. */
  readonly endsBy: "SIGKILL" | "SIGQUIT";
  readonly options?: Pick<SpawnOptions, "cwd" | "gid" | "uid">;
}

/** A server that a test has started. It ends with the test's process, and says so when it ends by itself. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #lastLines: string[] = [];
  #isEnding = false;

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
  }

  /** Resolves when it serves. @throws Error with its last words, when it ends before that */
  static async start(options: ServerOptions): Promise<ServerProcess> {
    const { command, isReady, endsBy, options: more } = options;
    // Nobody would end a server whose test was killed.
    const bound = ["--pdeathsig", endsBy.slice("SIG".length), ...command];
    const child = spawn("setpriv", bound, { stdio: ["ignore", "ignore", "pipe"], ...more });
    const server = new ServerProcess(command[0], child);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const lines = server.#lastLines;
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (lines.push(line) > lastLines) lines.shift();
      if (isReady.test(line)) resolve();
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const said = `${server.#name} ended by ${signal ?? code}: ${lines.join("\n")}`;
      reject(new Error(said));
      if (!server.#isEnding) process.stderr.write(`${said}\n`);
    });
    await promise;
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits for an end that a test expects. @returns its last words */
  async ended(): Promise<string> {
    this.#isEnding = true;
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) await once(this.#child, "close");
    return this.#lastLines.join("\n");
  }

  /** Ends it, unless it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    this.#isEnding = true;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }
}
