// A camera for trying out the hub: docs/cameras.md.
//
//   node scripts/toolchain.mjs exec packages/testkit/src/onvif/yard.ts PORT
//
// Its user is `hub` with the password `garden`. Lines `motion` and `quiet` on standard input set what it sees.
import { createInterface } from "node:readline";
import { SimulatedCamera } from "./camera.ts";

const camera = new SimulatedCamera({
  serial: "1000",
  model: "Yard",
  login: { username: "hub", password: "garden" },
  moves: true,
  seesMotion: true,
});
await camera.listen(Number(process.argv[2]));
process.stdout.write("ready\n");

createInterface({ input: process.stdin })
  .on("line", (line) => camera.moves(line === "motion"))
  .on("close", () => process.exit());
