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
