import assert from "node:assert/strict";
import { CloudProcess, FullClient } from "@ledge/testkit/client";
import { bareProfile, HubProcess, temporaryFolder } from "./hub-process.ts";

/** Hub and cloud in processes of their own, in temporary folders. */
export class CloudHome {
  static readonly #ending: (() => unknown)[] = [];
  readonly folder: string;
  readonly profile: string;

  /** The hub gets no adapters. @param more additions to the hub's profile */
  constructor(more: object = {}) {
    const folder = temporaryFolder();
    CloudHome.atEnd(() => folder.remove());
    this.folder = folder.path;
    this.profile = bareProfile(folder.path, more);
  }

  /** Closes and removes everything, in reverse order of creation. */
  static async end(): Promise<void> {
    for (const end of CloudHome.#ending.splice(0).toReversed()) await end();
  }

  static atEnd(end: () => unknown): void {
    CloudHome.#ending.push(end);
  }

  /** @param port default: any */
  async cloud(port = 0, ...args: readonly string[]): Promise<CloudProcess> {
    const cloud = await CloudProcess.start(`${this.folder}/cloud`, port, ...args);
    CloudHome.atEnd(() => cloud.stop());
    return cloud;
  }

  /** @param cloud address of the cloud */
  async hub(cloud: string, ...args: string[]): Promise<HubProcess> {
    const own = ["--profile", this.profile, "--cloud", cloud];
    const hub = await HubProcess.start(`${this.folder}/hub`, ...own, ...args);
    CloudHome.atEnd(() => hub.stop());
    return hub;
  }

  /** Claims a hub through its cloud. */
  async claim(hub: HubProcess, email: string): Promise<void> {
    const claimed = await hub.call("POST", `/hub/claim?email=${email}`, "");
    assert.deepEqual(claimed, { status: 200, json: true });
  }

  /**
   * Returns a client that has logged in. @param lanPort default: none, so the hub is reachable through the
   * relay only
   */
  async client(cloud: CloudProcess, email: string, lanPort = 1): Promise<FullClient> {
    const client = new FullClient({
      cloud: cloud.url,
      email,
      password: () => cloud.passwordOf(email),
      lanPort,
    });
    await client.logIn();
    return client;
  }
}
