import { setTimeout } from "node:timers/promises";
import type { ServerHttp2Stream } from "node:http2";
import type { ChangesEnd, ChangesHead } from "@ledge/link";
import { dialTunnel } from "@ledge/link/tunnel";
import { features } from "@ledge/model";
import { TestTunnel } from "../relay/test-relay.ts";
import type { CloudProcess } from "./cloud-process.ts";
import { TestHub } from "./open-cloud.ts";

/** A hub that shares its home: devices that change, and that say in their names how often they have. */
export class TellingHub {
  readonly hub: TestHub;
  readonly token: string;
  readonly #session: string;
  readonly #counts: number[];
  /** Which device each change was of. */
  readonly #changes: number[] = [];
  readonly #waiting = new Set<() => void>();
  #tunnel: TestTunnel | undefined;
  #isEnded = false;

  private constructor(hub: TestHub, token: string, session: string, devices: number) {
    this.hub = hub;
    this.token = token;
    this.#session = session;
    this.#counts = Array.from({ length: devices }, () => 0);
  }

  /** Makes a hub of an account. */
  static async claimed(at: CloudProcess, email: string, devices: number): Promise<TellingHub> {
    const hub = await TestHub.make();
    const session = await at.connect(hub, [features.REMOTE_USAGE]);
    const claimed = await at.call("POST", "/hub/claim", session, { email });
    if (!claimed.ok) throw new Error(`the hub could not be claimed: ${claimed.status}`);
    return new TellingHub(hub, await at.logIn(email), session, devices);
  }

  /** The names of its devices as they are now. */
  get names(): readonly string[] {
    return this.#counts.map((count, at) => `device-${at} ${count}`);
  }

  /** Changes the next device. */
  change(): void {
    const at = this.#changes.length % this.#counts.length;
    this.#changes.push(at);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    for (const wake of this.#waiting) wake();
  }

  /** Keeps a tunnel to some process of the cloud until the end. @param any returns one to dial */
  async run(any: () => CloudProcess): Promise<void> {
    while (!this.#isEnded) {
      try {
        const signal = AbortSignal.timeout(5000);
        const dialling = { url: any().address, token: this.#session, transport: "upgrade", signal } as const;
        const tunnel = new TestTunnel(
          await dialTunnel(dialling),
          (stream) => stream.respond({ ":status": 204 }, { endStream: true }),
          (stream, headers) => void this.#tell(stream, String(headers[":path"])),
        );
        this.#tunnel = tunnel;
        const closed = new Promise<void>((resolve) => void tunnel.duplex.once("close", () => resolve()));
        await Promise.race([closed, tunnel.goodbye]);
        // Requests under way finish in the old tunnel.
      } catch {
        // The process is gone, or another one still takes the old tunnel for open.
      }
      await setTimeout(100);
    }
  }

  end(): void {
    this.#isEnded = true;
    this.#tunnel?.kill();
  }

  async #tell(stream: ServerHttp2Stream, path: string): Promise<void> {
    const after = new URL(path, "http://hub").searchParams.get("after") || null;
    if (after !== null && Number(after) === this.#changes.length) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      stream.once("close", resolve);
      await Promise.race([promise, setTimeout(20_000, undefined, { ref: false })]);
      this.#waiting.delete(resolve);
    }
    if (stream.destroyed) return;
    const next = this.#changes.length;
    const changed = after === null ? this.#counts.map((_, at) => at) : this.#changes.slice(Number(after));
    const head: ChangesHead = { v: 1, share: "states", generation: 0, full: after === null, after };
    const devices = [...new Set(changed)].map((at) => ({
      device: { id: `device-${at}`, timestamp: next + 1, name: `device-${at} ${this.#counts[at]}` },
    }));
    const end: ChangesEnd = { next: `${next}`, more: false };
    const text = [head, ...devices, end].map((line) => `${JSON.stringify(line)}\n`).join("");
    stream.respond({ ":status": 200, "content-type": "application/x-ndjson" });
    stream.end(text);
  }
}
