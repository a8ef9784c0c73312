// A house of Zigbee devices behind a simulated stick: from a press to the command on its wire, scenes, memory.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { devices, pairAll, serveStick, SimulatedAir, Stick, type Ieee } from "@ledge/testkit/zigbee";
import type { Figure } from "./figure.ts";
import { bundled, HubFolder, type HubProcess, type Program } from "./hub-process.ts";

const lampCount = 24;
const deviceCount = 60;
const presses = 30;
const scenes = 3;
const onOff = 0x0006;

export async function zigbeeFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    const program = await bundled(folder);
    return [...(await withoutRadio(program)), ...(await withHouse(program))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withoutRadio(program: Program): Promise<readonly Figure[]> {
  const folder = new HubFolder({ zigbee: {} }, program);
  const hub = await folder.start();
  try {
    await sleep(5000);
    const how = "PSS of the bundled adapter's process, no stick given, 5 s after its start";
    return [told("zigbee memory without a radio", hub.adaptersPss(), "MB", how)];
  } finally {
    await hub.stop();
    folder.remove();
  }
}

async function withHouse(program: Program): Promise<readonly Figure[]> {
  const air = new SimulatedAir();
  const served = await serveStick(new Stick({ air, tableSize: 200 }));
  const folder = new HubFolder({ zigbee: { radio: { path: served.path, stick: "zstack" } } }, program);
  const hub = await folder.start();
  try {
    const house = new House(hub, air, await hub.key());
    await house.furnish();
    const how = `PSS of the bundled adapter's process, ${deviceCount} devices paired`;
    const memory = told("zigbee memory with a radio", hub.adaptersPss(), "MB", how);
    return [memory, ...(await house.scene()), ...(await house.press())];
  } finally {
    await hub.stop();
    await served.close();
    folder.remove();
  }
}

class House {
  readonly #hub: HubProcess;
  readonly #air: SimulatedAir;
  readonly #key: string;
  readonly #lamps = Array.from({ length: lampCount }, (_, index) => devices.unknownLamp(ieee(index)));
  readonly #remote = devices.remote(ieee(0xff));
  #ids: ReadonlyMap<Ieee, string> = new Map();

  constructor(hub: HubProcess, air: SimulatedAir, key: string) {
    this.#hub = hub;
    this.#air = air;
    this.#key = key;
  }

  async furnish(): Promise<void> {
    const others = Array.from({ length: deviceCount - lampCount - 1 }, (_, index) =>
      devices.motion(ieee(0x100 + index)),
    );
    const call = (method: string, path: string, body?: object): Promise<unknown> =>
      this.#call(method, path, body);
    this.#ids = await pairAll(call, this.#air, [...this.#lamps, this.#remote, ...others]);
    await this.#hub.devices(deviceCount, this.#key);
  }

  /** A scene of all lamps, on and off in turn within ten seconds. */
  async scene(): Promise<readonly Figure[]> {
    const ids = [true, false].map((isOn) => ({ on: { targetIds: this.#lampIds(), state: { isOn } } }));
    const made = (await this.#call("PUT", "/scenes", [
      { type: "CMD_SCENE", name: "On", presets: ids[0] },
      { type: "CMD_SCENE", name: "Off", presets: ids[1] },
    ])) as { readonly id: string; readonly name: string }[];
    const times: number[] = [];
    let missed = 0;
    for (let turn = 0; turn < scenes; turn++) {
      const isOn = turn % 2 === 0;
      const began = performance.now();
      const id = made.find(({ name }) => name === (isOn ? "On" : "Off"))?.id;
      await this.#call("PUT", "/scenes/command", [{ type: "CMD_SCENE_ON", id }]);
      const until = began + 10_000 / scenes;
      const wrong = (): number => this.#lamps.filter((lamp) => lamp.isOn !== isOn).length;
      while (wrong() > 0 && performance.now() < until) await sleep(1);
      missed += wrong();
      times.push(performance.now() - began);
      await sleep(Math.max(until - performance.now(), 0));
    }
    const how = `${lampCount} lamps of ${deviceCount} devices, ${scenes} times in 10 s`;
    return [
      {
        name: "zigbee scene, lamps that missed it",
        value: missed,
        unit: "lamps",
        limit: "<= 0",
        gated: true,
        how,
      },
      told("zigbee scene, until the last lamp", Math.max(...times), "ms", `the slowest; ${how}`),
    ];
  }

  /** A rule from a remote to a lamp: from the press on the air to the frame to the lamp on the air. */
  async press(): Promise<readonly Figure[]> {
    const [lamp] = this.#lampIds();
    const config = {
      type: "CONFIG",
      id: null,
      name: "Remote",
      configType: "REMOTE_CONTROL",
      inputs: { remote: [this.#ids.get(this.#remote.ieee)] },
      outputs: { lights: [lamp] },
      extras: {},
    };
    const [rule] = (await this.#call("PUT", "/rules", { rules: [config], onConfiguration: {} })) as [
      { readonly id: string },
    ];
    await this.#call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id: rule.id }]);
    const times: number[] = [];
    const to = this.#lamps[0]?.ieee ?? null;
    for (let turn = 0; turn < presses; turn++) {
      this.#air.log.clear();
      const began = performance.now();
      this.#remote.press("toggle");
      const sent = (): boolean => this.#air.log.count({ from: null, to, cluster: onOff }) > 0;
      while (!sent() && performance.now() - began < 5000) await sleep(0.5);
      times.push(performance.now() - began);
      // A rule that fires more often than thirty times a minute is stopped.
      await sleep(2100);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
    const how = `${presses} presses, to the frame to the lamp on the stick's wire, through adapter, log and rule`;
    return [
      told("zigbee press to command, p50", at(0.5), "ms", how),
      told("zigbee press to command, p99", at(0.99), "ms", how),
    ];
  }

  #lampIds(): readonly string[] {
    return this.#lamps.flatMap((lamp) => this.#ids.get(lamp.ieee) ?? []);
  }

  #call(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#hub.call(method, path, this.#key, body);
  }
}

function ieee(number: number): Ieee {
  return `0x000b57ff${number.toString(16).padStart(8, "0")}`;
}

function told(name: string, value: number, unit: string, how: string): Figure {
  return { name, value, unit, limit: null, gated: false, how };
}
