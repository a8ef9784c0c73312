// Two meters behind a gateway, for trying out M-Bus: docs/mbus.md.
//
//   node scripts/toolchain.mjs exec packages/testkit/src/mbus/meters.ts PORT
//
// A line `10000001 1235` on standard input sets what a meter has counted: kWh, or litres.
import { createInterface } from "node:readline";
import { createServer } from "node:net";
import { toHex } from "@ledge/mbus";
import { MbusBus, type SimulatedMeter } from "./bus.ts";

const counted = (vif: string, value: number): string =>
  `04 ${vif} ${toHex(new Uint8Array(Uint32Array.of(value).buffer))}`;
const heatRecords = (kwh: number): readonly string[] => [
  `${counted("06", kwh)} 02 2D 05 00 02 3B 7B 00 02 59 5A 19 02 5D 77 10`,
];
const waterRecords = (litres: number): readonly string[] => [counted("13", litres)];

const heat: SimulatedMeter = {
  address: 1,
  id: "10000001",
  manufacturer: "KAM",
  version: 8,
  medium: 4,
  telegrams: heatRecords(1234),
};
const water: SimulatedMeter = {
  address: 2,
  id: "20000002",
  manufacturer: "HYD",
  version: 1,
  medium: 0x16,
  telegrams: waterRecords(56_789),
};
const bus = new MbusBus([heat, water]);

createServer((socket) => {
  const line = bus.connect((bytes) => void socket.write(bytes));
  socket.on("data", (chunk) => line.receive(chunk));
  socket.on("error", () => {});
  socket.on("close", () => line.close());
}).listen(Number(process.argv[2]), "127.0.0.1", () => process.stdout.write("ready\n"));

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [id, value] = line.split(" ");
    if (id === heat.id) heat.telegrams = heatRecords(Number(value));
    if (id === water.id) water.telegrams = waterRecords(Number(value));
  })
  .on("close", () => process.exit());
