// `npm start -- ARGS`: sets up what is missing, then runs the hub from its sources.
import { join } from "node:path";
import { launch, root } from "./toolchain.mjs";

// Stripping the types of every module takes most of a start; a program on a device is one bundle instead.
// The threads: as in systemd/ledge.service. libuv reads their number once, before the hub could set it.
const env = { NODE_COMPILE_CACHE: join(root, ".toolchain", "compile-cache"), UV_THREADPOOL_SIZE: "8" };

await launch(join(root, "packages", "hub", "src", "main.ts"), process.argv.slice(2), { env });
