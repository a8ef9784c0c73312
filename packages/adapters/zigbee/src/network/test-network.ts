import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterHost, AdapterRequest } from "@ledge/port";
import { systemClock } from "@ledge/port";
import type { Controller } from "zigbee-herdsman";
import type { NetworkListener } from "./network.ts";
import { Network } from "./network.ts";
import type { ZigbeeSettings } from "../settings.ts";

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A network with a recording host. Its store survives `restart`. */
export class NetworkRig {
  readonly folder = mkdtempSync(join(tmpdir(), "ledge-zigbee-"));
  readonly stored: Map<string, unknown>;
  /** The stored keys, in order. */
  readonly puts: string[] = [];
  readonly logged: LogLine[] = [];
  /** `opened`, or `closed` with the reason. */
  readonly said: string[] = [];
  readonly host: AdapterHost;
  readonly #settings: ZigbeeSettings;
  network: Network;
  /** Called before a key is stored, which waits for it. */
  onPut: (key: string) => void | Promise<void> = () => {};

  /** @param stored the store of another rig */
  constructor(settings: ZigbeeSettings, stored: ReadonlyMap<string, unknown> = new Map()) {
    this.#settings = settings;
    this.stored = new Map(stored);
    this.host = {
      settings,
      folder: this.folder,
      clock: systemClock,
      store: {
        get: (key) => this.stored.get(key),
        put: async (key, value) => {
          assert.ok(Buffer.byteLength(JSON.stringify(value)) <= 65_536, `${key} is too large`);
          this.puts.push(key);
          await this.onPut(key);
          this.stored.set(key, structuredClone(value));
        },
      },
      log: (level, message, fields) => this.logged.push({ level, message, ...(fields && { fields }) }),
      announce: () => {},
      report: () => {},
      found: () => {},
      lost: () => {},
      trouble: () => {},
    };
    this.network = this.#make(settings);
  }

  #make(settings: ZigbeeSettings): Network {
    const listener: NetworkListener = {
      opened: () => void this.said.push("opened"),
      closed: (reason) => void this.said.push(`closed: ${reason}`),
      reachabilityIgnored: (isIgnored) => void (isIgnored && this.said.push("reachability ignored")),
    };
    return new Network(this.host, settings, listener);
  }

  /** Starts the network and waits until it is up. */
  async up(): Promise<Controller> {
    await this.network.start();
    return await this.opened();
  }

  async opened(): Promise<Controller> {
    return await until("the network is up", () => this.network.controller);
  }

  /**
   * Restarts as a new process of the adapter does.
   * @param settings by default the same
   */
  async restart(settings: ZigbeeSettings = this.#settings): Promise<void> {
    await this.network.stop();
    this.network = this.#make(settings);
    await this.network.start();
  }

  async ask<T = Record<string, unknown>>(request: AdapterRequest): Promise<T> {
    const { requests, protocolCommands } = this.network;
    const answer = requests[request.type] ?? protocolCommands[request.type];
    assert.ok(answer, request.type);
    return (await answer(request, new AbortController().signal)) as T;
  }

  /** Sends the command that forms a new network. */
  async form(confirm: unknown): Promise<unknown> {
    const command = { type: "FORM_ZIGBEE_NETWORK", confirm };
    return await this.ask({ type: "FORM_ZIGBEE_NETWORK", commands: [command] });
  }

  lines(level: string): string[] {
    return this.logged.filter((line) => line.level === level).map(({ message }) => message);
  }

  async close(): Promise<void> {
    await this.network.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
