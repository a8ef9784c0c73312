// Z-Wave: a scene, commands, memory and start, beside the library without a hub; and a hub with both radios at rest.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figure.ts";
import { bundled, type DeviceSeen, HubFolder, type HubProcess, type Program, pssOf } from "../hub-process.ts";
import { quantile } from "../rounds.ts";
import { deviceCount, House } from "../zigbee/house.ts";
import { Direct } from "./direct.ts";
import { lampCount, nodeCount, ZWaveHouse } from "./house.ts";

/** Of each a command to every lamp. */
const rounds = 6;
const pauseMs = 60;
const switches = 3;
/** Three scenes in ten seconds. */
const scenePauseMs = 3000;
const settledMs = 30_000;
const lookEveryMs = 100;
const bothMegabytes = 350;

export async function zwaveFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const [house, other] = [await ZWaveHouse.build(), await House.build()];
  try {
    return await measured(await bundled(folder), house, other, join(folder, "cache"));
  } finally {
    await house.served.close();
    await other.served.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(
  program: Program,
  house: ZWaveHouse,
  zigbee: House,
  cache: string,
): Promise<readonly Figure[]> {
  const radios = {
    zwave: { radio: { path: house.served.path, stick: "zwave" } },
    zigbee: { radio: { path: zigbee.served.path, stick: "zstack" } },
  };
  const folder = new HubFolder(radios, program);
  try {
    const first = await Session.start(folder);
    const nodes = await first.pair(nodeCount);
    const lamps = nodes.filter(({ type }) => type === "LIGHT").map(({ id }) => id);
    const scene = [...(await sceneFigures(first, house, lamps, "scene"))];
    await group(first, lamps);
    scene.push(...(await sceneFigures(first, house, lamps, "scene of a group")));
    const frames = await frameFigures(first, house, lamps, cache);
    zigbee.seek();
    await first.pair(nodeCount + deviceCount);
    await first.hub.stop();
    const second = await Session.start(folder, first.key);
    const upMs = await second.up();
    await sleep(settledMs);
    const requests = house.requestsToOpen;
    const memory = second.zwavePss();
    const all = second.hub.pids().reduce((sum, pid) => sum + pssOf(pid), 0);
    await second.hub.stop();
    // The library alone knows the nodes as the hub's does.
    cpSync(join(folder.data, "adapters", "zwave"), cache, { recursive: true });
    const direct = await Direct.start("library", house.served.path, cache, nodeCount);
    await sleep(settledMs);
    const bareRequests = house.requestsToOpen;
    const bare = direct.pss();
    await direct.stop();
    return [
      ...scene,
      ...frames,
      ...beside("memory with a radio", "MB", memory, bare, 1.3),
      ...beside("start to network up", "ms", upMs, direct.upMs, null),
      ...beside("start, requests to the stick", "requests", requests, bareRequests, 1),
      {
        name: "zwave memory of both radios",
        value: all,
        unit: "MB",
        limit: `<= ${bothMegabytes}`,
        gated: true,
        how: `PSS of all processes of a bundled hub at rest, ${nodeCount} Z-Wave and ${deviceCount} Zigbee devices`,
      },
    ];
  } finally {
    folder.remove();
  }
}

/**
 * Measures commands through the hub, of the adapter without a hub, and of the library alone, each at a stick of its own,
 * in turns: a busy moment of the machine hits all of them.
 */
async function frameFigures(
  session: Session,
  house: ZWaveHouse,
  lamps: readonly string[],
  cache: string,
): Promise<readonly Figure[]> {
  const [second, third] = [await ZWaveHouse.build(), await ZWaveHouse.build()];
  const adapter = await Direct.start("adapter", second.served.path, `${cache}-adapter`, nodeCount);
  const library = await Direct.start("library", third.served.path, `${cache}-library`, nodeCount);
  const taken: Record<"hub" | "adapter" | "library", number[]> = { hub: [], adapter: [], library: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      const isOn = round % 2 === 1;
      taken.hub.push(...(await times(house, lamps, (id) => session.set(id, isOn))));
      taken.adapter.push(...(await times(second, second.lamps, async (node) => adapter.set(node, isOn))));
      taken.library.push(...(await times(third, third.lamps, async (node) => library.set(node, isOn))));
    }
  } finally {
    await adapter.stop();
    await library.stop();
    await second.served.close();
    await third.served.close();
  }
  return (
    [
      ["p50", 0.5, 1.5],
      ["p99", 0.99, null],
    ] as const
  ).flatMap(([name, share, most]) => {
    const [hub, port, bare] = [taken.hub, taken.adapter, taken.library].map((each) =>
      quantile(each, share),
    ) as [number, number, number];
    const how = `${nodeCount} nodes, ${taken.hub.length} commands each, in turns`;
    return [
      told(`zwave command to frame, ${name}, over HTTP`, hub, "ms", `${how}, through the bundled hub`),
      told(`zwave command to frame, ${name}, at the port`, port, "ms", `${how}, the adapter without a hub`),
      told(`zwave command to frame, ${name}, library alone`, bare, "ms", `${how}, in a short program`),
      {
        name: `zwave command to frame, ${name}, ratio`,
        value: port / bare,
        unit: "x",
        limit: most === null ? null : `<= ${most}`,
        gated: false,
        how: "at the port by the library alone; told",
      },
    ];
  });
}

/** Makes a group of all lamps, which one frame reaches. */
async function group(session: Session, members: readonly string[]): Promise<void> {
  await session.call("PUT", "/groups", [{ type: "CMD_GROUP", name: "Lamps", members }]);
  const isAddressed = async (): Promise<boolean> =>
    Object.values((await session.call("GET", "/groups")) as object).every(
      (made: { readonly group_address?: number }) => made.group_address !== undefined,
    );
  while (!(await isAddressed())) await sleep(lookEveryMs);
}

/** Switches all lamps by a scene, on and off in turn, and leaves them on. */
async function sceneFigures(
  session: Session,
  house: ZWaveHouse,
  lamps: readonly string[],
  name: string,
): Promise<readonly Figure[]> {
  const ids = new Map<boolean, string>();
  for (const isOn of [true, false]) {
    const presets = { lamps: { targetIds: lamps, state: { isOn } } };
    const scene = { type: "CMD_SCENE", name: isOn ? "On" : "Off", presets };
    const [made] = (await session.call("PUT", "/scenes", [scene])) as readonly { readonly id: string }[];
    ids.set(isOn, made?.id ?? "");
  }
  let missed = 0;
  let slowest = 0;
  for (let turn = 0; turn < switches; turn += 1) {
    const isOn = turn % 2 === 0;
    const began = performance.now();
    await session.call("PUT", "/scenes/command", [{ type: "CMD_SCENE_ON", id: ids.get(isOn) }]);
    missed += await house.missing(isOn);
    slowest = Math.max(slowest, performance.now() - began);
    await sleep(Math.max(0, scenePauseMs - (performance.now() - began)));
  }
  const how = `${lampCount} lamps of ${nodeCount} nodes, ${switches} times in 10 s`;
  return [
    {
      name: `zwave ${name}, lamps that missed it`,
      value: missed,
      unit: "lamps",
      limit: "<= 0",
      gated: true,
      how,
    },
    told(`zwave ${name}, until the last lamp`, slowest, "ms", `the slowest; ${how}`),
  ];
}

/** Returns how long a command to each lamp took until its frame arrived at the stick, ms. */
async function times<Target>(
  house: ZWaveHouse,
  targets: readonly Target[],
  give: (target: Target) => Promise<void>,
): Promise<readonly number[]> {
  const taken: number[] = [];
  for (const target of targets) {
    const sent = house.sent();
    const began = performance.now();
    const given = give(target);
    taken.push((await sent) - began);
    await given;
    await sleep(pauseMs);
  }
  return taken;
}

/** A figure of the hub, the same of the library alone, and what the hub makes of it. */
function beside(
  name: string,
  unit: string,
  ours: number,
  theirs: number,
  most: number | null,
): readonly Figure[] {
  const how = `${nodeCount} nodes`;
  return [
    told(`zwave ${name}`, ours, unit, `${how}, through the bundled hub`),
    told(
      `zwave ${name}, library alone`,
      theirs,
      unit,
      `${how}, the library from its packages in a short program`,
    ),
    {
      name: `zwave ${name}, ratio`,
      value: ours / theirs,
      unit: "x",
      limit: most === null ? null : `<= ${most}`,
      gated: false,
      how: "the hub by the library alone; told",
    },
  ];
}

function told(name: string, value: number, unit: string, how: string): Figure {
  return { name, value, unit, limit: null, gated: false, how };
}

/** A hub, and a client of it. */
class Session {
  readonly hub: HubProcess;
  readonly key: string;
  readonly #began: number;

  private constructor(hub: HubProcess, key: string, began: number) {
    this.hub = hub;
    this.key = key;
    this.#began = began;
  }

  /** @param key of an earlier session; making one takes time that is not the hub's */
  static async start(folder: HubFolder, key?: string): Promise<Session> {
    const began = performance.now();
    const hub = await folder.start();
    return new Session(hub, key ?? (await hub.key()), began);
  }

  call(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.hub.call(method, path, this.key, body);
  }

  /** Scans until the hub has so many devices. */
  async pair(count: number): Promise<readonly DeviceSeen[]> {
    const kept = new Set((await this.hub.devices(0, this.key)).map(({ id }) => id));
    while (kept.size < count) {
      const { devices } = (await this.call("GET", "/hub/scan?ts=0")) as {
        readonly devices: readonly { readonly id: string; readonly pairingStatus: string }[];
      };
      for (const { id, pairingStatus } of devices) {
        if (pairingStatus !== "COMPLETE" || kept.has(id)) continue;
        kept.add(id);
        await this.call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });
      }
      await sleep(lookEveryMs);
    }
    await this.call("GET", "/hub/stopscan");
    return await this.hub.devices(count, this.key);
  }

  /** Resolves with the time from the start of the hub until its Z-Wave network is up, ms. */
  async up(): Promise<number> {
    while ((await this.#nodes()).length === 0) await sleep(lookEveryMs / 10);
    return performance.now() - this.#began;
  }

  async set(id: string, isOn: boolean): Promise<void> {
    await this.call("PUT", "/devices/command", [{ type: "CMD_DEVICE", id, state: { isOn } }]);
  }

  zwavePss(): number {
    const isZwave = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("zwave");
    return this.hub
      .pids()
      .filter(isZwave)
      .reduce((sum, pid) => sum + pssOf(pid), 0);
  }

  async #nodes(): Promise<readonly unknown[]> {
    const command = [{ type: "ZWAVE_GET_NODES" }];
    const nodes = await this.call("POST", "/hub/protocolconfig", command).catch(() => []);
    return Array.isArray(nodes) ? nodes : [];
  }
}
