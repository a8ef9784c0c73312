// Writes the types of Graph into docs/graph.md, from the rows themselves.
//
//   node scripts/toolchain.mjs exec scripts/graph-page.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withTypes } from "./graph-types.ts";

const path = join(import.meta.dirname, "..", "docs", "graph.md");
writeFileSync(path, withTypes(readFileSync(path, "utf8")));
