// What an adapter of a building's bus takes: the bundled hub without any, then with each, idle and with devices.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bus, buses, devices } from "./bus-peers.ts";
import type { Figure } from "./figure.ts";
import { bundled, HubFolder, type Program } from "./hub-process.ts";

const settleMs = 5000;
/** A line adapter wants to know of its lines. */
const idleSettings: Readonly<Record<string, object>> = {
  modbus: { ports: [] },
  mqtt: { broker: { url: "mqtt://127.0.0.1:9" }, sources: { zigbee2mqtt: ["zigbee2mqtt"] } },
};
/** The feature that switches each adapter. */
const switches: Readonly<Record<string, string>> = {
  modbus: "MODBUS",
  mbus: "MBUS",
  bacnet: "BACNET_CLIENT",
  mqtt: "MQTT",
  onvif: "VIDEO_SERVICE",
  rf433: "FOUR33_HW2",
};
/** How often a feature goes on and off before its memory is compared. */
const turns = 5;

export async function busFigures(): Promise<readonly Figure[]> {
  const bundles = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    const program = await bundled(bundles);
    const off = await measured(program, { adapters: {}, stop: () => {} }, 0);
    const figures = [told("buses memory, all off, hub", off.hub, "PSS of the bundled hub's process")];
    for (const [name, start] of Object.entries(buses)) {
      const idle = await measured(
        program,
        { adapters: { [name]: idleSettings[name] ?? {} }, stop: () => {} },
        0,
      );
      // An adapter without a feature is there while the profile names it.
      if (switches[name] !== undefined)
        figures.push(
          told(
            `buses memory, ${name}, switched off`,
            await leftBehind(program, name),
            "PSS of hub and adapters more than before it was on",
          ),
        );
      const busy = await measured(program, await start(), devices);
      figures.push(
        told(`buses memory, ${name}, idle`, idle.adapter, "PSS of the adapter's process without a device"),
        told(`buses memory, ${name}, ${devices} devices`, busy.adapter, "PSS of the adapter's process"),
        told(
          `buses memory, ${name}, ${devices} devices, hub`,
          busy.hub,
          "PSS of the hub's process beside it",
        ),
      );
    }
    return figures;
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
}

/** A feature alone would start its adapter. */
function featuresOf(adapters: object): readonly string[] {
  return Object.keys(adapters).flatMap((name) => switches[name] ?? []);
}

function told(name: string, value: number, what: string): Figure {
  const how = `${what}, bundled, ${settleMs / 1000} s after its last device`;
  return { name, value, unit: "MB", limit: null, gated: false, how };
}

async function measured(
  program: Program,
  bus: Bus,
  count: number,
): Promise<{ readonly hub: number; readonly adapter: number }> {
  const folder = new HubFolder(bus.adapters, program, featuresOf(bus.adapters));
  try {
    const hub = await folder.start();
    const key = await hub.key();
    await bus.pair?.(hub, key);
    await hub.devices(count, key);
    await sleep(settleMs);
    const found = { hub: hub.pss(), adapter: hub.adaptersPss() };
    await hub.stop();
    return found;
  } finally {
    await bus.stop();
    folder.remove();
  }
}

/**
 * Returns what is left (MB) of an adapter that was on and off again: of its process and in the hub. The first turn counts as warming up,
 * as the hub compiles what it does then.
 */
async function leftBehind(program: Program, name: string): Promise<number> {
  const adapters = { [name]: idleSettings[name] ?? {} };
  const folder = new HubFolder(adapters, program, featuresOf(adapters));
  try {
    const hub = await folder.start();
    const key = await hub.key();
    const feature = switches[name] ?? "";
    const turn = async (isOn: boolean): Promise<void> => {
      await hub.call("PUT", "/hub/featureswitches", key, [{ type: "FEATURE_SWITCH", feature, isOn }]);
      while (hub.adaptersPss() > 0 !== isOn) await sleep(50);
      if (isOn) await sleep(settleMs / turns);
    };
    const least = async (): Promise<number> => {
      let found = Infinity;
      for (let reading = 0; reading < 10; reading++) {
        await sleep(settleMs / 10);
        found = Math.min(found, hub.pss() + hub.adaptersPss());
      }
      return found;
    };
    await turn(false);
    await turn(true);
    await turn(false);
    const before = await least();
    for (let count = 1; count < turns; count++) {
      await turn(true);
      await turn(false);
    }
    const left = (await least()) - before;
    await hub.stop();
    return left;
  } finally {
    folder.remove();
  }
}
