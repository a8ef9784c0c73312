import { bases, graphFields, graphRows } from "@ledge/cloud/graph";

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const region = /(?<=<!-- types -->\n)[^]*(?=<!-- \/types -->)/;

/** Returns the page with the types of Graph as they are now, between its two marks. */
export function withTypes(page: string): string {
  if (!region.test(page)) throw new Error("the page has no place for the types");
  return page.replace(region, () => `\n${bases.map(chapter).join("\n")}\n`);
}

function chapter(base: string): string {
  const rows = graphRows.filter((row) => row.base === base);
  const table = [
    ["type", "what it does", "fields", "result", "right"],
    ...rows.map((row) => [
      `\`${row.type}\``,
      row.summary,
      fieldsText(graphFields(row) as Schema),
      fieldsText({ properties: (row.result as Schema["properties"]) ?? {} }),
      row.right,
    ]),
  ];
  return `### ${base}\n\n${tableText(table)}\n`;
}

/** Returns a Markdown table as the formatter writes it. */
function tableText(cells: readonly (readonly string[])[]): string {
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...rest] = cells;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rest.map(line)].join(
    "\n",
  );
}

function fieldsText({ properties = {}, required }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => `\`${name}\`${required?.includes(name) === false ? "?" : ""}${kindOf(schema)}`)
    .join(", ");
}

/** Says of a field what its name does not: that it is a list, or which values it may have. */
function kindOf({ type, enum: values }: Schema): string {
  if (type === "array") return " []";
  return values === undefined ? "" : ` (${values.map((value) => `\`${String(value)}\``).join(" ")})`;
}
