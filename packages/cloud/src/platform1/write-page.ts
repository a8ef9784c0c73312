// Writes the endpoints of the platform 1.0 API into docs/platform1.md, from the rows themselves.
//
//   node scripts/toolchain.mjs exec packages/cloud/src/platform1/write-page.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withEndpoints } from "./page.ts";

const path = join(import.meta.dirname, "../../../../docs/platform1.md");
writeFileSync(path, withEndpoints(readFileSync(path, "utf8")));
