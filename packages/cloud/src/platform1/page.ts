// Writes the endpoints of the platform 1.0 API into docs/platform1.md, from the rows themselves:
//
//   node scripts/toolchain.mjs exec packages/cloud/src/platform1/page.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rows1 } from "./rows.ts";

const region = /(?<=<!-- endpoints -->\n)[^]*(?=<!-- \/endpoints -->)/;

/** Returns the page docs/platform1.md with the endpoints as they are, between its two marks. */
export function withEndpoints(page: string): string {
  if (!region.test(page)) throw new Error("the page has no place for the endpoints");
  const cells = rows1.map(({ method, path, type }) => {
    return [`\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\``, `\`${type}\``] as const;
  });
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[], fill = " "): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(" | ")} |`;
  const table = [line(["endpoint", "type of Graph"]), line(["", ""], "-"), ...cells.map((row) => line(row))];
  return page.replace(region, () => `\n${table.join("\n")}\n\n`);
}

if (import.meta.main) {
  const path = join(import.meta.dirname, "../../../../docs/platform1.md");
  writeFileSync(path, withEndpoints(readFileSync(path, "utf8")));
}
