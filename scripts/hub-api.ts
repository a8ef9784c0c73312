// Writes what Graph knows of the hub API: the rows that have a type of their own, from the rows themselves.
//
//   node scripts/toolchain.mjs exec scripts/hub-api.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hubApiText } from "./hub-api-text.ts";

writeFileSync(join(import.meta.dirname, "..", "packages/cloud/src/graph/hub-api.json"), hubApiText());
