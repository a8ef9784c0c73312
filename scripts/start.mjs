// `npm start -- ARGS`: sets up what is missing, then runs hub and cloud from their sources.
import { join } from "node:path";
import { environment } from "./board/npx/start.mjs";
import { launch, root } from "./toolchain.mjs";

// Node spends most of a start on stripping types, so cache the result; a device runs bundles instead.
const env = { NODE_COMPILE_CACHE: join(root, ".toolchain", "compile-cache"), ...environment };

await launch(join(root, "scripts", "home.ts"), process.argv.slice(2), { env });
