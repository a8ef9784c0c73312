import { bases, graphFields, graphRows } from "@ledge/cloud/graph";
import { markdownTable, withRegion } from "@ledge/testkit/page";

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

/** Returns the page with the types of Graph as they are now, between its two marks. */
export function withTypes(page: string): string {
  return withRegion(page, "types", bases.map(chapter).join("\n\n"));
}

function chapter(base: string): string {
  const rows = graphRows.filter((row) => row.base === base);
  const cells = rows.map((row) => [
    `\`${row.type}\``,
    row.summary,
    fieldsText(graphFields(row) as Schema),
    fieldsText({ properties: (row.result as Schema["properties"]) ?? {} }),
    row.right,
  ]);
  const table = markdownTable(["type", "what it does", "fields", "result", "right"], cells);
  return `### ${base}\n\n${table}`;
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
