// Zigbee: memory, from a press to the command on the stick's wire, and the same as Zigbee2MQTT beside it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figure.ts";
import { bundled, HubFolder, type Program } from "../hub-process.ts";
import { quantile } from "../rounds.ts";
import { compare } from "./compare.ts";
import { deviceCount, House } from "./house.ts";
import { Ledge } from "./ledge.ts";

const presses = 30;
/** A rule that fires more often than thirty times a minute is stopped. */
const pressPauseMs = 2100;
const settledMs = 45_000;

export async function zigbeeFigures({ peer }: { readonly peer?: string }): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  try {
    const program = await bundled(folder);
    return [
      ...(await withoutRadio(program)),
      ...(await withRemote(program)),
      ...(await compare(program, peer)),
    ];
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

async function withRemote(program: Program): Promise<readonly Figure[]> {
  const house = await House.build();
  const ledge = new Ledge(house, program);
  await ledge.start();
  try {
    await ledge.ready();
    house.seek();
    await ledge.pair();
    const how = `PSS of the bundled adapter's process, ${deviceCount} devices paired`;
    const memory = told("zigbee memory with a radio", ledge.hub.adaptersPss(), "MB", how);
    await sleep(15_000);
    return [memory, ...(await press(house, ledge)), await afterRestart(ledge)];
  } finally {
    await ledge.stop();
    await house.served.close();
    ledge.remove();
  }
}

/** The memory of everything that runs, once a restart has settled. */
async function afterRestart(ledge: Ledge): Promise<Figure> {
  await ledge.stop();
  await ledge.start();
  await ledge.ready();
  await sleep(settledMs);
  const { hub } = ledge;
  const how = `PSS of the bundled hub and adapter, ${deviceCount} devices, ${settledMs / 1000} s after a restart`;
  return told("zigbee memory of hub and adapter", hub.pss() + hub.adaptersPss(), "MB", how);
}

/** A rule from a remote to a lamp: from the press on the air to the frame to the lamp on the stick's wire. */
async function press(house: House, ledge: Ledge): Promise<readonly Figure[]> {
  const { remote, lamps } = house;
  const config = {
    type: "CONFIG",
    id: null,
    name: "Remote",
    configType: "REMOTE_CONTROL",
    inputs: { remote: [await ledge.idOf(remote.ieee)] },
    outputs: { lights: [await ledge.idOf(lamps[0]?.ieee ?? "")] },
    extras: {},
  };
  const made = await ledge.call("PUT", "/rules", { rules: [config], onConfiguration: {} });
  const [rule] = made as [{ readonly id: string }];
  await ledge.call("PUT", "/rules/command", [{ type: "RULE_ON_COMMAND", id: rule.id }]);
  const times: number[] = [];
  for (let turn = 0; turn < presses; turn += 1) {
    const switched = house.switched();
    const began = performance.now();
    remote.press("toggle");
    times.push((await switched) - began);
    await sleep(pressPauseMs);
  }
  const how = `${presses} presses, to the frame to the lamp on the stick's wire, through adapter, log and rule`;
  return [0.5, 0.99].map((share) =>
    told(`zigbee press to command, p${share * 100}`, quantile(times, share), "ms", how),
  );
}

function told(name: string, value: number, unit: string, how: string): Figure {
  return { name, value, unit, limit: null, gated: false, how };
}
