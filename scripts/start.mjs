// `npm start -- ARGS`: sets up what is missing, then runs hub and cloud from their sources.
import { join } from "node:path";
import { launch, root } from "./toolchain.mjs";

// Node spends most of a start on stripping types, so cache the result; a device runs bundles instead. The other
// variables are those of systemd/ledge.service: libuv and glibc read them once, before the hub could set them.
const env = {
  NODE_COMPILE_CACHE: join(root, ".toolchain", "compile-cache"),
  UV_THREADPOOL_SIZE: "8",
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "32768",
};

await launch(join(root, "scripts", "home.ts"), process.argv.slice(2), { env });
