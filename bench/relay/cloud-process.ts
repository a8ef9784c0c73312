// A cloud in a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pssOf } from "../hub-process.ts";
import { issuer, post } from "./sessions.ts";

const program = join(import.meta.dirname, "..", "..", "packages", "cloud", "src", "main.ts");
const preload = new URL("../collecting.preload.ts", import.meta.url).href;

export class CloudProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, url: string) {
    this.#child = child;
    this.#folder = folder;
    this.url = url;
  }

  /** @param fill puts something into the data folder before the cloud starts */
  static async start(fill: (data: string) => Promise<void> = async () => {}): Promise<CloudProcess> {
    const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
    const config = join(folder, "cloud.json");
    writeFileSync(
      config,
      JSON.stringify({ issuer, trustedProxies: ["127.0.0.1"], relay: { requestsPerMinute: 1e9 } }),
    );
    const data = join(folder, "data");
    await fill(data);
    const args = ["--import", preload, program, "--data", data, "--port", "0", "--config", config];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    child.stderr.pipe(process.stderr);
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      text += chunk.toString();
      const url = /API +(http:\S+)\n[^]*mail /.exec(text)?.[1];
      if (url !== undefined) return new CloudProcess(child, folder, url);
    }
    throw new Error(`the cloud ended before it listened: ${text}`);
  }

  /** Logs in by a mail; the token, the keys of the user's hubs by their ids, and the first of them. */
  async logIn(email: string): Promise<{
    readonly token: string;
    readonly hubKeys: Readonly<Record<string, string>>;
    readonly hubKey: string;
  }> {
    const token = await this.tokenOf(email);
    const answer = await fetch(`${this.url}/ui/0.2/user/hubkeys`, { headers: { authorization: token } });
    const hubKeys = (await answer.json()) as Record<string, string>;
    const [hubKey] = Object.values(hubKeys);
    if (hubKey === undefined) throw new Error("the cloud gave no key");
    return { token, hubKeys, hubKey };
  }

  /**
   * Logs in by a mail, and returns the token.
   * @param from the address (IP) that the cloud is to believe the user calls from
   */
  async tokenOf(email: string, from = "192.0.2.1"): Promise<string> {
    await post(this.url, "/ui/0.2/user/requestlogin", { email }, { from });
    const mails = join(this.#folder, "data", "mail");
    const mail = readFileSync(join(mails, readdirSync(mails).toSorted().at(-1) ?? ""), "utf8");
    const password = /password: (\w+)/.exec(mail)?.[1];
    return (await post(this.url, "/ui/0.2/user/emaillogin", { email, password }, { from })) as string;
  }

  /** Time of processors (us) that its first thread has had. */
  cpuUs(): number {
    return Number(readFileSync(`/proc/${this.#child.pid}/schedstat`, "utf8").split(" ")[0]) / 1000;
  }

  /**
   * Memory (kB) once all that nothing refers to is gone, shared pages in proportion: the least of several readings,
   * as a busy machine gives pages back late.
   */
  async pssKb(): Promise<number> {
    const { stderr } = this.#child;
    let least = Infinity;
    for (let reading = 0; reading < 4; reading++) {
      const collected = stderr && once(stderr, "data");
      this.#child.kill("SIGUSR2");
      await collected;
      await sleep(500);
      least = Math.min(least, pssOf(this.#child.pid ?? 0) * 1024);
    }
    return least;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
