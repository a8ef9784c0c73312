// `npm start -- ARGS`: sets up what is missing, then runs the hub from its sources.
import { join } from "node:path";
import { launch, root } from "./toolchain.mjs";

// Stripping the types of every module takes most of a start; a program on a device is one bundle instead.
const env = { NODE_COMPILE_CACHE: join(root, ".toolchain", "compile-cache") };

await launch(join(root, "packages", "hub", "src", "main.ts"), process.argv.slice(2), { env });
