import assert from "node:assert/strict";
import type { Report } from "@ledge/port";
import { SimulatedClock } from "@ledge/testkit";
import { mapDevice } from "../device-map.ts";
import { Line } from "../line.ts";
import { PolledDevice } from "../polled-device.ts";
import { Poller } from "../poller.ts";
import type { TableRequest } from "../request.ts";
import type { PlainSettings, PortSettings } from "../settings.ts";
import type { Reaction } from "./simulated-connection.ts";
import { SimulatedConnection } from "./simulated-connection.ts";

const port: PortSettings = {
  name: "line",
  transport: { type: "rtu", path: "/dev/null", baudRate: 9600, dataBits: 8, stopBits: 1, parity: "none" },
  timeoutMs: 1000,
  betweenRequestsMs: 0,
  unreachableAfter: 3,
  devices: [],
};

/** A line of simulated devices with its poller, on a simulated clock. */
export interface SimulatedRig {
  readonly clock: SimulatedClock;
  readonly line: Line;
  readonly poller: Poller;
  readonly devices: readonly PolledDevice[];
  readonly reports: (Report & { readonly when: number })[];
  /** Each request as `unit table register+count`, and when it was sent. */
  readonly asked: { readonly what: string; readonly when: number }[];
  readonly warnings: string[];
  readonly connection: () => SimulatedConnection;
}

type React = (unit: number, request: TableRequest) => Reaction;

/** Starts a line with these devices; `react` answers each request. */
export async function simulatedRig(settings: readonly PlainSettings[], react: React): Promise<SimulatedRig> {
  const clock = new SimulatedClock();
  const reports: (Report & { when: number })[] = [];
  const asked: { what: string; when: number }[] = [];
  const warnings: string[] = [];
  let connection: SimulatedConnection | undefined;
  const log = (level: string, message: string, fields?: object): void => {
    if (level === "warn") warnings.push(`${message} ${JSON.stringify(fields)}`);
  };
  const store = { get: () => undefined, put: () => Promise.resolve() };
  const report = (said: Report): void => void reports.push({ ...said, when: clock.monotonic() });
  const host = {
    settings: {},
    folder: "/nowhere",
    clock,
    log,
    store,
    report,
    announce: () => {},
    found: () => {},
    lost: () => {},
    trouble: () => {},
  };
  const devices = settings.map(
    (device) => new PolledDevice(mapDevice("line", device, ""), port.unreachableAfter),
  );
  const line = new Line({
    port,
    host,
    random: () => 0.5,
    up: () => poller.up(),
    down: () => poller.down(),
    open: async () => {
      connection = new SimulatedConnection(clock, (unit, request) => {
        const count = request.kind === "read" ? request.count : request.values.length;
        asked.push({
          what: `${unit} ${request.table} ${request.register}+${count}`,
          when: clock.monotonic(),
        });
        return react(unit, request);
      });
      return connection;
    },
  });
  const poller = new Poller(line, host, devices);
  line.start();
  await clock.pass(0);
  return {
    clock,
    line,
    poller,
    devices,
    reports,
    asked,
    warnings,
    connection: () => connection ?? assert.fail("not open"),
  };
}
