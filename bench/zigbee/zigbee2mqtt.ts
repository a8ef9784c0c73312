// Zigbee2MQTT, installed beside, with a broker of its own: two processes that a bench starts and ends.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect as connectTo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { House } from "./house.ts";
import type { Product } from "./product.ts";

const base = "zigbee2mqtt";
const group = "lamps";
const scenes = { on: 1, off: 2 } as const;
const tries = 600;
const pauseMs = 50;
/** How long a program may take to stop. */
const graceMs = 10_000;

/** What a bench uses of the MQTT client that Zigbee2MQTT brings along. */
interface MqttClient {
  readonly stream: { write(bytes: Uint8Array): void };
  subscribe(topic: string): void;
  on(event: "message", heard: (topic: string, payload: Buffer) => void): void;
  off(event: "message", heard: (topic: string, payload: Buffer) => void): void;
  once(event: "connect", connected: () => void): void;
  end(force: boolean): void;
}

/** Zigbee2MQTT and mosquitto. */
export class Zigbee2Mqtt implements Product {
  readonly name = "Zigbee2MQTT";
  readonly #house: House;
  readonly #peer: string;
  readonly #port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "ledge-bench-peer-"));
  #broker: ChildProcess | undefined;
  #program: ChildProcess | undefined;
  #client: MqttClient | undefined;

  /**
   * @param peer the folder that `npm install zigbee2mqtt` was run in
   * @param port a free port for the broker
   */
  constructor(house: House, peer: string, port: number) {
    this.#house = house;
    this.#peer = peer;
    this.#port = port;
    const settings = {
      mqtt: { server: `mqtt://127.0.0.1:${port}`, base_topic: base },
      serial: { port: house.served.path, adapter: "zstack" },
      frontend: { enabled: false },
      homeassistant: { enabled: false },
      advanced: { log_level: "error", log_output: ["console"] },
    };
    // JSON is YAML.
    writeFileSync(join(this.#folder, "configuration.yaml"), JSON.stringify(settings));
    writeFileSync(join(this.#folder, "mosquitto.conf"), `listener ${port} 127.0.0.1\nallow_anonymous true\n`);
  }

  async start(): Promise<void> {
    const options = { stdio: "ignore" } as const;
    this.#broker = spawn("mosquitto", ["-c", join(this.#folder, "mosquitto.conf")], options);
    await this.#listening();
    const program = join(this.#peer, "node_modules", "zigbee2mqtt", "index.js");
    const env = { ...process.env, ZIGBEE2MQTT_DATA: this.#folder, Z2M_ONBOARD_NO_SERVER: "1" };
    this.#program = spawn(process.execPath, [program], { ...options, env, cwd: this.#folder });
    const { connect } = createRequire(join(this.#peer, "package.json"))("mqtt") as {
      readonly connect: (this: void, url: string) => MqttClient;
    };
    const client = connect(`mqtt://127.0.0.1:${this.#port}`);
    this.#client = client;
    await new Promise<void>((resolve) => client.once("connect", resolve));
    client.subscribe(`${base}/#`);
    await this.#healthy();
  }

  /** It listens only when its network is up. */
  async ready(): Promise<void> {}

  async stop(): Promise<void> {
    this.#client?.end(true);
    for (const child of [this.#program, this.#broker]) {
      if (!child || child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "close");
      child.kill("SIGTERM");
      // It may hang while it stops.
      const grace = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await ended;
      clearTimeout(grace);
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async pair(): Promise<void> {
    const done = new Set<unknown>();
    const all = this.#heard((topic, text) => {
      if (topic !== `${base}/bridge/event`) return false;
      const { type, data } = JSON.parse(text) as { type: string; data: Record<string, unknown> };
      const { status, ieee_address: id } = data;
      if (type === "device_interview" && status === "successful") done.add(id);
      // It does not try again by itself; its user would.
      else if (type === "device_interview" && status === "failed")
        this.#publish("bridge/request/device/interview", { id });
      return done.size === this.#house.devices.length;
    });
    this.#publish("bridge/request/permit_join", { time: 254 });
    await all;
  }

  async prepare(): Promise<void> {
    await this.#request("group/add", { friendly_name: group, id: 7 });
    for (const { ieee } of this.#house.lamps)
      await this.#request("group/members/add", { group, device: ieee, endpoint: 1 });
    for (const isOn of [true, false]) {
      do this.list(isOn);
      while ((await this.#house.missing(isOn)) > 0);
      // A group frame that nobody confirms.
      this.#publish(`${group}/set`, { scene_store: isOn ? scenes.on : scenes.off });
      await sleep(2000);
    }
  }

  one(lamp: number, isOn: boolean): void {
    this.#publish(`${this.#house.lamps[lamp]?.ieee}/set`, { state: isOn ? "ON" : "OFF" });
  }

  list(isOn: boolean): void {
    for (const lamp of this.#house.lamps.keys()) this.one(lamp, isOn);
  }

  scene(isOn: boolean): void {
    this.#publish(`${group}/set`, { scene_recall: isOn ? scenes.on : scenes.off });
  }

  group(isOn: boolean): void {
    this.#publish(`${group}/set`, { state: isOn ? "ON" : "OFF" });
  }

  async listen(heard: (sensor: string, isSeen: boolean) => void): Promise<() => void> {
    const sensors = new Set(this.#house.sensors.map(({ ieee }) => `${base}/${ieee}`));
    const hear = (topic: string, payload: Buffer): void => {
      if (!sensors.has(topic)) return;
      const { occupancy } = JSON.parse(payload.toString()) as { readonly occupancy?: boolean };
      if (occupancy !== undefined) heard(topic, occupancy);
    };
    this.#mqtt.on("message", hear);
    return () => this.#mqtt.off("message", hear);
  }

  pids(): readonly number[] {
    return [this.#program?.pid ?? 0, this.#broker?.pid ?? 0];
  }

  get #mqtt(): MqttClient {
    if (!this.#client) throw new Error("Zigbee2MQTT does not run");
    return this.#client;
  }

  /** Writes the packet itself, as the hub's requests are written: PUBLISH of MQTT 3.1.1 with QoS 0 (3.3). */
  #publish(topic: string, message: object): void {
    const name = Buffer.from(`${base}/${topic}`);
    const rest = Buffer.concat([
      Buffer.of(name.length >> 8, name.length & 255),
      name,
      Buffer.from(JSON.stringify(message)),
    ]);
    const length = rest.length < 128 ? [rest.length] : [(rest.length & 127) | 128, rest.length >> 7];
    this.#mqtt.stream.write(Buffer.concat([Buffer.of(0x30, ...length), rest]));
  }

  async #request(topic: string, message: object): Promise<void> {
    const answered = this.#heard((other) => other === `${base}/bridge/response/${topic}`);
    this.#publish(`bridge/request/${topic}`, message);
    await answered;
  }

  /** It says that it is online before it listens to requests. */
  async #healthy(): Promise<void> {
    const answered = this.#heard((topic) => topic === `${base}/bridge/response/health_check`);
    const ask = setInterval(() => this.#publish("bridge/request/health_check", {}), pauseMs);
    await answered;
    clearInterval(ask);
  }

  /** Resolves at the first message that is wanted. */
  #heard(isWanted: (topic: string, text: string) => boolean): Promise<void> {
    const client = this.#mqtt;
    return new Promise((resolve) => {
      const hear = (topic: string, payload: Buffer): void => {
        if (!isWanted(topic, payload.toString())) return;
        client.off("message", hear);
        resolve();
      };
      client.on("message", hear);
    });
  }

  /** Waits for the broker. */
  async #listening(): Promise<void> {
    for (let left = tries; left > 0; left -= 1) {
      const socket = connectTo(this.#port, "127.0.0.1");
      const isThere = await once(socket, "connect").then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (isThere) return;
      await sleep(pauseMs);
    }
    throw new Error("mosquitto does not listen; is it installed?");
  }
}
