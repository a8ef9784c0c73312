import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { HubFolder, type HubProcess, type Program } from "../hub-process.ts";
import type { House } from "./house.ts";
import type { Product } from "./product.ts";

const lookEveryMs = 100;

interface Find {
  readonly id: string;
  readonly pairingStatus: string;
}

/** An event of the hub's stream. */
interface Told {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Known {
  readonly id: string;
}

/** The hub with its Zigbee adapter. */
export class Ledge implements Product {
  readonly name = "Ledge";
  readonly #house: House;
  readonly #folder: HubFolder;
  readonly #flags: readonly string[];
  #line: Socket | undefined;
  #hub: HubProcess | undefined;
  #key = "";
  /** Ids of the lamps, in their order. */
  #lamps: readonly string[] = [];
  readonly #scenes = new Map<boolean, string>();
  #group = "";

  /** @param flags for the hub's node, such as a module to preload */
  constructor(house: House, program: Program, flags: readonly string[] = []) {
    this.#house = house;
    this.#flags = flags;
    this.#folder = new HubFolder(
      { zigbee: { radio: { path: house.served.path, stick: "zstack" } } },
      program,
    );
  }

  get hub(): HubProcess {
    if (!this.#hub) throw new Error("the hub does not run");
    return this.#hub;
  }

  async start(): Promise<void> {
    this.#hub = await this.#folder.start(this.#flags);
    this.#key ||= await this.#hub.key();
  }

  async ready(): Promise<void> {
    for (;;) {
      const status = (await this.call("GET", "/hub/zigbeestatus")) as Record<string, unknown>;
      if (status["connected"] === true && status["has_network"] === true) return;
      await sleep(lookEveryMs);
    }
  }

  async stop(): Promise<void> {
    this.#line?.destroy();
    await this.hub.stop();
  }

  remove(): void {
    this.#folder.remove();
  }

  async pair(): Promise<void> {
    const { devices } = this.#house;
    const kept = new Set<string>();
    while (kept.size < devices.length) {
      const finds = (await this.call("GET", "/hub/scan?ts=0")) as { readonly devices: readonly Find[] };
      for (const { id, pairingStatus } of finds.devices) {
        if (pairingStatus !== "COMPLETE" || kept.has(id)) continue;
        kept.add(id);
        await this.call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });
      }
      await sleep(lookEveryMs);
    }
    await this.call("GET", "/hub/stopscan");
    await this.hub.devices(devices.length, this.#key);
  }

  async prepare(): Promise<void> {
    const ids = await this.#ids();
    this.#lamps = this.#house.lamps.map(({ ieee }) => ids.get(ieee) ?? "");
    const presets = (isOn: boolean): object => ({ lamps: { targetIds: this.#lamps, state: { isOn } } });
    for (const isOn of [true, false]) {
      const scene = { type: "CMD_SCENE", name: isOn ? "On" : "Off", presets: presets(isOn) };
      const [made] = (await this.call("PUT", "/scenes", [scene])) as readonly Known[];
      this.#scenes.set(isOn, made?.id ?? "");
    }
    const group = { type: "CMD_GROUP", name: "Lamps", members: this.#lamps };
    const [made] = (await this.call("PUT", "/groups", [group])) as readonly Known[];
    this.#group = made?.id ?? "";
  }

  /** Returns the hub's id of a Zigbee device. */
  async idOf(ieee: string): Promise<string> {
    return (await this.#ids()).get(ieee) ?? "";
  }

  one(lamp: number, isOn: boolean): void {
    this.#send("PUT", "/devices/command", this.#command(lamp, isOn));
  }

  list(isOn: boolean): void {
    this.#send(
      "PUT",
      "/devices/command",
      this.#lamps.map((_, lamp) => this.#command(lamp, isOn)),
    );
  }

  scene(isOn: boolean): void {
    this.#send("PUT", "/scenes/command", [{ type: "CMD_SCENE_ON", id: this.#scenes.get(isOn) }]);
  }

  group(isOn: boolean): void {
    const type = isOn ? "CMD_GROUP_ON" : "CMD_GROUP_OFF";
    this.#send("PUT", "/groups/command", [{ type, id: this.#group }]);
  }

  /** Reads the stream of events: a poll tells states, and of two changes between two polls nothing. */
  async listen(heard: (sensor: string, isSeen: boolean) => void): Promise<() => void> {
    const over = new AbortController();
    const { body } = await fetch(`${this.hub.address}/cc/1.14/events`, {
      headers: { authorization: this.#key },
      signal: over.signal,
    });
    if (!body) throw new Error("the hub gives no events");
    const lines = createInterface(Readable.fromWeb(body));
    // The stream ends with an error when it is no longer read.
    lines.on("error", () => {});
    lines.on("line", (line) => {
      if (!line.startsWith("data:")) return;
      const { type, id, attributes } = JSON.parse(line.slice(5)) as Told;
      const isSeen = type === "DeviceReported" ? attributes["motion"] : undefined;
      if (typeof isSeen === "boolean") heard(id, isSeen);
    });
    return () => over.abort();
  }

  pids(): readonly number[] {
    return this.hub.pids();
  }

  call(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.hub.call(method, path, this.#key, body);
  }

  /** Returns the hub's ids by Zigbee address. */
  async #ids(): Promise<ReadonlyMap<string, string>> {
    const { nodes } = (await this.call("GET", "/hub/zigbeemap")) as {
      readonly nodes: readonly { readonly ieee: string; readonly deviceIds: readonly string[] }[];
    };
    return new Map(nodes.map(({ ieee, deviceIds }) => [ieee, deviceIds[0] ?? ""]));
  }

  #command(lamp: number, isOn: boolean): object {
    return { type: "CMD_DEVICE", id: this.#lamps[lamp], payload: { isOn } };
  }

  /** Writes the bytes of a request itself: an HTTP client would take as long as the hub does. */
  #send(method: string, path: string, body: object): void {
    const text = JSON.stringify(body);
    const { host, hostname, port } = new URL(this.hub.address);
    if (this.#line?.writable !== true) this.#line = answered(connect(Number(port), hostname));
    const head = [
      `${method} /cc/1.14${path} HTTP/1.1`,
      `host: ${host}`,
      `authorization: ${this.#key}`,
      `content-length: ${Buffer.byteLength(text)}`,
    ];
    this.#line.write(`${head.join("\r\n")}\r\n\r\n${text}`);
  }
}

/** Makes a connection fail at any answer but success. */
function answered(line: Socket): Socket {
  return line.setNoDelay(true).on("data", (answer) => {
    const text = answer.toString("latin1");
    if (text.startsWith("HTTP/") && !text.startsWith("HTTP/1.1 200 ")) throw new Error(text);
  });
}
