// From a command over HTTP to its frame on the way to the adapter, while devices report all the time.
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./figure.ts";
import { HubFolder } from "./hub-process.ts";
import { quantile } from "./rounds.ts";

const commands = 100;
const preload = new URL("./handed.preload.ts", import.meta.url).href;

export async function commandFigures(): Promise<readonly Figure[]> {
  const folder = new HubFolder({ sim: { seed: 1, devices: 600, latencyMs: 0, speed: 60 } });
  try {
    const hub = await folder.start(["--import", preload]);
    const handed: bigint[] = [];
    hub.child.stderr?.on("data", (chunk: Buffer) => {
      for (const [, at] of chunk.toString().matchAll(/^handed (\d+)$/gm)) handed.push(BigInt(at ?? 0));
    });
    const key = await hub.key();
    const lamps = (await hub.devices(600, key)).filter(({ type, capabilities }) => {
      return type === "LIGHT" && capabilities.values.includes("ON_OFF");
    });
    await sleep(3000);
    const events = async (): Promise<number> => eventsOf(await hub.metrics(key));
    const [before, began] = [await events(), performance.now()];
    const samples: number[] = [];
    for (let turn = 0; turn < commands; turn++) {
      const lamp = lamps[turn % lamps.length];
      if (lamp === undefined) throw new Error("the home has no lamps");
      handed.length = 0;
      const start = process.hrtime.bigint();
      const body = { type: turn % 2 === 0 ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id: lamp.id };
      await hub.call("PUT", "/devices/command", key, body);
      for (let waited = 0; handed.length === 0 && waited < 200; waited += 10) await sleep(10);
      const at = handed[0];
      if (at !== undefined) samples.push(Number(at - start) / 1e6);
    }
    const rate = ((await events()) - before) / ((performance.now() - began) / 1000);
    await hub.stop();
    if (samples.length === 0) throw new Error("no frame was seen");
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
