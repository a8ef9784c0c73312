import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { createLogger } from "@ledge/host/logger";
import { closeServer, createServer, listen } from "@ledge/host/server";
import { systemClock } from "@ledge/kernel";
import { openHub, type RunningHub } from "../hub.ts";
import { readProfile } from "../profile.ts";
import type { Answer } from "./hub-process.ts";

export interface OpenHubOptions {
  readonly folder: string;
  /** The profile's file. */
  readonly profile: string;
  /** The address of its cloud. */
  readonly cloud: string;
  /** The error of its wall clock (ms). */
  readonly wrongBy?: number;
  /** Returns how far its clocks are ahead of real time (ms). */
  readonly ahead?: () => number;
  /** The factor by which its waits are shortened. */
  readonly hurry?: number;
  /** Only waits of at least this length (ms) are shortened. Default: all. */
  readonly hurryFrom?: number;
}

/** A hub in this process with a clock that the test controls, served on a port of its own. */
export class OpenHub {
  readonly hub: RunningHub;
  #server: Server;
  #address = "";

  private constructor(hub: RunningHub) {
    this.hub = hub;
    this.#server = createServer(hub.app("local").fetch);
  }

  static async open(options: OpenHubOptions): Promise<OpenHub> {
    const { cloud, wrongBy = 0, hurry = 1, hurryFrom = 0, ahead = () => 0 } = options;
    const folder = join(options.folder, "open-hub");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const served: { by?: OpenHub } = {};
    const hub = await openHub({
      profile: { ...readProfile(options.profile), cloud: { url: cloud } },
      folder,
      clock: {
        ...systemClock,
        wall: () => systemClock.wall() + wrongBy + ahead(),
        monotonic: () => systemClock.monotonic() + ahead(),
        after: (ms, callback) => systemClock.after(ms < hurryFrom ? ms : ms / hurry, callback),
      },
      logger: createLogger("silent"),
      onFatal: assert.fail,
      address: () => served.by?.address ?? null,
    });
    const open = new OpenHub(hub);
    served.by = open;
    await open.moveTo("127.0.0.1");
    hub.startAdapters();
    return open;
  }

  get address(): string {
    return this.#address;
  }

  /** Serves the hub at another IP address of this machine. */
  async moveTo(host: string): Promise<void> {
    await closeServer(this.#server, 0);
    this.#server = createServer(this.hub.app("local").fetch);
    this.#address = await listen(this.#server, host, 0);
  }

  async close(): Promise<void> {
    await closeServer(this.#server, 0);
    await this.hub.close();
  }

  /** As `HubProcess.call`. */
  async call(method: string, path: string, key: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.address}/cc/1.14${path}`, {
      method,
      headers: { authorization: key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  }

  /**
   * Returns the owner's key, signed by the hub itself. Claims the hub for this email address first if
   * necessary.
   */
  async recoveredKey(email: string): Promise<string> {
    const body = this.hub.kernel.get("hub", this.hub.hubId)?.state === "claimed" ? {} : { email };
    const init = { method: "POST", body: JSON.stringify(body) };
    const answer = await this.hub.app("console").request("/cc/1.14/console/recover", init);
    return ((await answer.json()) as { key: string }).key;
  }
}
