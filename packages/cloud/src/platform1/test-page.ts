// Writes the endpoints of the platform 1.0 API into docs/platform1.md, from the rows themselves:
//
//   node scripts/toolchain.mjs exec packages/cloud/src/platform1/test-page.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markdownTable, withRegion } from "@ledge/testkit/page";
import { rows1 } from "./rows.ts";

/** Returns the page docs/platform1.md with the endpoints as they are. */
export function withEndpoints(page: string): string {
  const cells = rows1.map(({ method, path, type }) => {
    return [`\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\``, `\`${type}\``];
  });
  return withRegion(page, "endpoints", markdownTable(["endpoint", "type of Graph"], cells));
}

if (import.meta.main) {
  const path = join(import.meta.dirname, "../../../../docs/platform1.md");
  writeFileSync(path, withEndpoints(readFileSync(path, "utf8")));
}
