// A Z-Wave radio of the soak, and its troubles.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { plans, reports, type ServedStick, serveStick, ZWaveStick } from "@ledge/testkit/zwave";
import type { Call, SoakRadio, Trouble } from "./radio.ts";

const lookEveryMs = 250;
const looks = 240;
/** Sequence numbers of presses are a byte: a node that says the same again repeats itself. */
const sequences = 256;

interface Node {
  readonly nodeId: number;
  readonly deviceId: string | null;
}

/** Starts a Z-Wave stick. @param count of its devices */
export async function zwaveRadio(count: number): Promise<SoakRadio> {
  const served = await serveStick(await ZWaveStick.create());
  const { stick } = served;
  const half = Math.ceil(count / 2);
  return {
    protocol: "zwave",
    settings: { radio: { path: served.path, stick: "zwave" } },
    troubles: troublesOf(served, half),
    async pair(call) {
      for (let lamp = 0; lamp < half; lamp += 1) stick.inclusion.seek(plans.lamp());
      for (let remote = half; remote < count; remote += 1) stick.inclusion.seek(plans.remote());
      const ids = await pairNodes(call, count);
      return {
        lamps: ids.slice(0, half).map(({ id, nodeId }) => ({ id, isOn: () => burns(stick, nodeId) })),
        remotes: ids.slice(half).map(({ id, nodeId }) => {
          let presses = 0;
          const press = (): void => {
            presses += 1;
            // Nobody hears it while the stick has no power.
            stick.says(nodeId, reports.press(1, 0, presses % sequences)).catch(() => {});
          };
          return { id, press };
        }),
      };
    },
    async works(call) {
      const asked = [{ type: "GET_ZWAVE_STATISTICS" }];
      return ((await call("POST", "/hub/protocolconfig", asked)) as { status: unknown }).status === "READY";
    },
    close: () => served.close(),
  };
}

function burns(stick: ZWaveStick, nodeId: number): boolean {
  return Number(stick.node(nodeId).state.get("MultilevelSwitch_currentValue") ?? 0) > 0;
}

async function nodesOf(call: Call): Promise<readonly Node[]> {
  return (await call("POST", "/hub/protocolconfig", [{ type: "ZWAVE_GET_NODES" }])) as readonly Node[];
}

/** Keeps what a scan finds until it is as many; returns them in the order in which they joined. */
export async function pairNodes(
  call: Call,
  count: number,
): Promise<readonly { readonly nodeId: number; readonly id: string }[]> {
  const kept = new Set<string>();
  while (kept.size < count) {
    const { devices } = (await call("GET", "/hub/scan?ts=0")) as {
      readonly devices: readonly { readonly id: string; readonly pairingStatus: string }[];
    };
    for (const { id, pairingStatus } of devices) {
      if (pairingStatus !== "COMPLETE" || kept.has(id)) continue;
      await call("PUT", "/hub/scan", { type: "SET_SCAN_RESULT", id, ignored: false });
      kept.add(id);
    }
    await sleep(lookEveryMs);
  }
  await call("GET", "/hub/stopscan");
  for (let look = 0; ; look += 1) {
    assert.ok(look < looks, "the hub does not know of each kept device which node it is");
    const nodes = (await nodesOf(call)).flatMap(({ nodeId, deviceId }) =>
      deviceId !== null && kept.has(deviceId) ? [{ nodeId, id: deviceId }] : [],
    );
    // The adapter gets the last of them a moment after the answer to the scan.
    if (nodes.length === count) return nodes.toSorted((a, b) => a.nodeId - b.nodeId);
    await sleep(lookEveryMs);
  }
}

function troublesOf(served: ServedStick<ZWaveStick>, lamps: number): Readonly<Record<string, Trouble>> {
  const { stick } = served;
  return {
    async "a jam"() {
      stick.isJammed = true;
      await sleep(6000);
      stick.isJammed = false;
    },

    async "garbled frames"() {
      stick.faults.garble(5);
      await sleep(3000);
    },

    async "lost frames"() {
      stick.faults.lose(3);
      await sleep(3000);
    },

    async "a silent stick"() {
      stick.faults.isSilent = true;
      await sleep(8000);
      stick.faults.isSilent = false;
    },

    async "a slow stick"() {
      stick.faults.delayMs = 300;
      await sleep(5000);
      stick.faults.delayMs = 0;
    },

    async "unplugged in the middle of a frame"() {
      await Promise.race([served.unplugMidFrame(), sleep(10_000)]);
      await served.unplug();
      await sleep(3000);
      await served.plug();
    },

    async "a lamp without power"(random) {
      const node = stick.nodeIds.toSorted((a, b) => a - b)[random(lamps)] ?? 0;
      stick.powerNode(node, false);
      await sleep(5000);
      stick.powerNode(node, true);
      // A lamp says that it is there when it gets power.
      await stick.says(node, reports.battery(100));
    },
  };
}
