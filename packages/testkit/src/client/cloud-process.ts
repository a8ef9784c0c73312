import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { programFile } from "../programs.ts";

/** A cloud in a separate process that writes its mails to a folder. */
export class CloudProcess {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly url: string;

  private constructor(child: ChildProcess, folder: string, url: string) {
    this.child = child;
    this.folder = folder;
    this.url = url;
  }

  /**
   * Starts a cloud and waits until it serves.
   * @param port by default any free port
   */
  static async start(folder: string, port = 0, ...more: readonly string[]): Promise<CloudProcess> {
    const args = [programFile("cloud"), "--data", folder, "--port", String(port), "--log", "error", ...more];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const [, url] = /API +(http\S+)[^]*^ {2}mail /m.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once("close", (code) => reject(new Error(`the cloud ended with ${code}`)));
    return new CloudProcess(child, folder, await promise);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /**
   * Returns the one-time password that was last sent to an address.
   * @throws Error when there is none
   */
  passwordOf(email: string): string {
    const mails = join(this.folder, "mail");
    for (const name of readdirSync(mails).toSorted().toReversed()) {
      const text = readFileSync(join(mails, name), "utf8");
      const [, password] = /this password: (\w+)$/m.exec(text) ?? [];
      if (text.startsWith(`To: ${email}\n`) && password !== undefined) return password;
    }
    throw new Error(`no password was sent to ${email}`);
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "close");
    this.child.kill(signal);
    await ended;
  }
}
