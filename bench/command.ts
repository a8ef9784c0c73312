// From a command over HTTP to its frame on the way to the adapter, while devices report all the time.
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./figure.ts";
import { HubFolder } from "./hub-process.ts";
import { quantile } from "./rounds.ts";

const commands = 100;
const longestMs = 5000;
const stepMs = 10;
const preload = new URL("./handed.preload.ts", import.meta.url).href;

export async function commandFigures(): Promise<readonly Figure[]> {
  const folder = new HubFolder({ sim: { seed: 1, devices: 600, latencyMs: 0, reportsPerSecond: 200 } });
  try {
    const hub = await folder.start(["--import", preload]);
    /** When each brightness was first handed on: every command asks for another one. */
    const handed = new Map<number, bigint>();
    createInterface({ input: hub.child.stderr as Readable }).on("line", (line) => {
      const [, at = 0, level] = /^handed (\d+) (\S+)$/.exec(line) ?? [];
      if (level !== undefined && !handed.has(Number(level))) handed.set(Number(level), BigInt(at));
    });
    const key = await hub.key();
    const lamps = (await hub.devices(600, key)).filter(({ type, capabilities, state }) => {
      return type === "LIGHT" && capabilities.values.includes("BRIGHTNESS") && state.reachable !== false;
    });
    await sleep(3000);
    const events = async (): Promise<number> => eventsOf(await hub.metrics(key));
    const [before, began] = [await events(), performance.now()];
    const samples: number[] = [];
    for (let turn = 0; turn < commands; turn++) {
      const lamp = lamps[turn % lamps.length];
      if (lamp === undefined) throw new Error("the home has no lamps");
      const brightness = (turn + 1) / (commands + 1);
      const start = process.hrtime.bigint();
      const body = { type: "CMD_DEVICE", id: lamp.id, payload: { isOn: true, brightness } };
      await hub.call("PUT", "/devices/command", key, body);
      for (let waited = 0; !handed.has(brightness) && waited < longestMs; waited += stepMs)
        await sleep(stepMs);
      const at = handed.get(brightness);
      if (at === undefined) throw new Error(`a command was not handed on within ${longestMs} ms`);
      samples.push(Number(at - start) / 1e6);
      await sleep(stepMs);
    }
    const rate = ((await events()) - before) / ((performance.now() - began) / 1000);
    await hub.stop();
    const how = `${samples.length} times PUT /devices/command until the message to the adapter's process, ${Math.round(rate)} events/s meanwhile`;
    return [0.5, 0.99].map((share) => {
      const name = `command to frame, p${share * 100}`;
      return { name, value: quantile(samples, share), unit: "ms", limit: null, gated: false, how };
    });
  } finally {
    folder.remove();
  }
}

function eventsOf(metrics: string): number {
  return Number(/^ledge_\w*events\w* (\d+)/m.exec(metrics)?.[1] ?? NaN);
}
