// An RFLink gateway behind a serial server, for trying out the hub: docs/433mhz.md.
//
//   node scripts/toolchain.mjs exec packages/testkit/src/rf433/play.ts PORT
//
// It hears each line of standard input as a code, such as `Kaku;ID=41;SWITCH=1;CMD=ON`, and prints the codes that it sends.
import { createInterface } from "node:readline";
import { serveStick } from "../serial/serve.ts";
import { SimulatedRflink } from "./rflink.ts";

const gateway = new SimulatedRflink();
gateway.onSent = (code) => void process.stdout.write(`sent ${code}\n`);
await serveStick(gateway, Number(process.argv[2]));
process.stdout.write("ready\n");

createInterface({ input: process.stdin })
  .on("line", (line) => gateway.hear(line))
  .on("close", () => process.exit());
