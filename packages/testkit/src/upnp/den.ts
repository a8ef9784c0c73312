// A media renderer for trying out the hub: docs/media.md.
//
//   node scripts/toolchain.mjs exec packages/testkit/src/upnp/den.ts PORT
import { SimulatedRenderer } from "./renderer.ts";

const renderer = new SimulatedRenderer({ udn: "uuid:den", name: "Den", hasDirectory: true });
await renderer.listen(Number(process.argv[2]));
process.stdout.write("ready\n");
