// Registers of a Modbus line that the hub reads, each of which has changed, and what that does to its event loop.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./figure.ts";
import { type HubProcess, HubFolder } from "./hub-process.ts";

const units = 24;
const registersEach = 50;
const settleMs = 8000;
const measureMs = 20_000;

interface Counts {
  readonly read: number;
  readonly requests: number;
  readonly timeouts: number;
}

export async function modbusFigures(): Promise<readonly Figure[]> {
  const program = fileURLToPath(new URL("./modbus-slave.child.ts", import.meta.url));
  const slave = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = (await once(slave.stdout, "data")) as [Buffer];
  const folder = new HubFolder({ modbus: { ports: [lineAt(Number(port.toString()))] } });
  try {
    const hub = await folder.start();
    const key = await hub.key();
    await hub.devices(units, key);
    await sleep(settleMs);
    const [before, began] = [await countsOf(hub, key), performance.now()];
    await sleep(measureMs);
    const [after, seconds] = [await countsOf(hub, key), (performance.now() - began) / 1000];
    const metrics = await hub.metrics(key);
    await hub.stop();
    const how = `${units} addresses of ${registersEach} registers on one line over TCP, each read every second and each time with another value, ${measureMs / 1000} s`;
    const told = { gated: false, how } as const;
    const rate = (after.read - before.read) / seconds;
    const loop = (quantile: string): number =>
      Number(
        new RegExp(`^ledge_loop_delay_seconds\\{quantile="${quantile}"\\} (\\S+)`, "m").exec(metrics)?.[1] ??
          NaN,
      ) * 1000;
    return [
      { name: "modbus registers read", value: rate, unit: "/s", limit: ">= 1000", ...told },
      {
        name: "modbus requests",
        value: (after.requests - before.requests) / seconds,
        unit: "/s",
        limit: null,
        ...told,
      },
      {
        name: "modbus requests without an answer",
        value: after.timeouts - before.timeouts,
        unit: "",
        limit: "<= 0",
        ...told,
      },
      { name: "modbus loop delay of the hub, p50", value: loop("0.5"), unit: "ms", limit: null, ...told },
      { name: "modbus loop delay of the hub, p99", value: loop("0.99"), unit: "ms", limit: null, ...told },
    ];
  } finally {
    slave.stdin.end();
    folder.remove();
  }
}

function lineAt(port: number): object {
  const devices = Array.from({ length: units }, (_, index) => ({
    id: `unit${index + 1}`,
    address: index + 1,
    name: `Unit ${index + 1}`,
    deviceType: "MULTI_SENSOR",
    points: Array.from({ length: registersEach }, (__, register) => ({
      attribute: `extras.r${register}`,
      table: "input",
      register,
      type: "u16",
      poll: "fast",
    })),
  }));
  return { name: "line", transport: { type: "tcp", host: "127.0.0.1", port }, devices };
}

async function countsOf(hub: HubProcess, key: string): Promise<Counts> {
  const [line] = (await hub.call("POST", "/hub/protocolconfig", key, [
    { type: "GET_MODBUS_STATISTICS" },
  ])) as Counts[];
  if (line === undefined) throw new Error("the hub has no Modbus line");
  return line;
}
