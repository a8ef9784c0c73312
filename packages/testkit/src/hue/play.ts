// A Hue bridge, for trying out the adapter: docs/hue.md.
//
//   node scripts/toolchain.mjs exec packages/testkit/src/hue/play.ts PORT [http]
//
// A line `press` on standard input presses its button; `1 on` or `1 off` is somebody at lamp 1.
import { createInterface } from "node:readline";
import { SimulatedBridge } from "./bridge.ts";

const [port, scheme = "https"] = process.argv.slice(2);
const bridge = await SimulatedBridge.start(scheme === "https", Number(port));
process.stdout.write("ready\n");

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [word = "", state] = line.split(" ");
    if (word === "press") bridge.press();
    else bridge.change(word, { on: state === "on" });
  })
  .on("close", () => process.exit());
