// The hub under load: a process of its own on a folder and a profile of its own.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { readFileSync, rmSync, mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const root = join(import.meta.dirname, "..", "..");

export class LoadedHub {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.#child = child;
    this.port = port;
    this.#folder = folder;
  }

  /**
   * Starts a hub and waits until it listens.
   * @param settings of its simulated adapter.
   */
  static async start(settings: object): Promise<LoadedHub> {
    const folder = mkdtempSync(join(tmpdir(), "ledge-load-"));
    const profile = join(folder, "profile.json");
    const sim = JSON.parse(readFileSync(join(root, "firmware-profiles", "sim.json"), "utf8")) as object;
    writeFileSync(profile, JSON.stringify({ ...sim, adapters: { sim: settings } }));
    const main = join(root, "packages", "hub", "src", "main.ts");
    const options = ["--profile", profile, "--data", join(folder, "data"), "--port", "0", "--log", "error"];
    const child = spawn(process.execPath, [main, ...options], { stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    // Its output stays open: a hub that cannot print would end.
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      printed += chunk.toString();
      const port = /API +http:\/\/[^:]+:(\d+)\n/.exec(printed)?.[1];
      if (port !== undefined) return new LoadedHub(child, Number(port), folder);
    }
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`the hub ended before it listened: ${printed}`);
  }

  /** False when it has ended by itself. */
  get runs(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** A key for a user of that address, who is added; without one for the owner. */
  async key(email?: string, role?: number): Promise<string> {
    const { key, message } = (await this.console("POST", "/console/key", { email, role })) as {
      key?: string;
      message?: string;
    };
    if (key === undefined) throw new Error(`no key: ${message}`);
    return key;
  }

  /** Asks a row on the listener of the `ledge` command, which has no allowance that could end. */
  async console(method: string, path: string, body: object = {}): Promise<unknown> {
    const outgoing = request({
      socketPath: join(this.#folder, "data", "ledge.sock"),
      method,
      path: `/cc/1.14${path}`,
      headers: { host: "localhost", "content-type": "application/json" },
    });
    const answer = new Promise<string>((resolve, reject) => {
      outgoing.once("error", reject);
      outgoing.once("response", (response) => void text(response).then(resolve, reject));
    });
    outgoing.end(method === "GET" ? undefined : JSON.stringify(body));
    return JSON.parse(await answer) as unknown;
  }

  /**
   * Lets the adapter stand still, so that nothing changes any more. It lives on for less than 20 s. Another child,
   * such as one that makes a backup, goes on: the hub would wait for it.
   */
  freezeAdapters(): void {
    const { pid } = this.#child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    for (const child of children.split(" ")) {
      if (child !== "" && readFileSync(`/proc/${child}/cmdline`, "utf8").includes("/adapters/"))
        process.kill(Number(child), "SIGSTOP");
    }
  }

  async stop(): Promise<void> {
    if (this.runs) {
      const ended = new Promise((resolve) => this.#child.once("close", resolve));
      // An adapter that stands still keeps the hub from ending for as long as the grace is.
      this.#child.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
