// Rows in the text format of COPY, for filling a database much faster than hubs do.
import type { Row } from "@ledge/fleet";
import { encodeRow } from "@ledge/fleet/store";
import { columns, columnsOf, isList, valueEnd } from "../row-columns.ts";

/** The columns of `ledge.rows` in a line of `copiedRow`. */
export const copiedColumns = columns.join(", ");

/**
 * Returns the line of a row (PostgreSQL 15, COPY, "Text Format"), and how many bytes of it count towards the bounds of its
 * source.
 */
export function copiedRow(row: Row): { readonly line: string; readonly bytes: number } {
  const record = encodeRow(row);
  const values = columnsOf(row, record);
  const fields = columns.map((column) => {
    const value = values[column];
    if (value === null) return "\\N";
    if (typeof value !== "string") return `\\\\x${value.toString("hex")}`;
    return escaped(isList(column) ? arrayOf(value.split(valueEnd)) : value);
  });
  return { line: `${fields.join("\t")}\n`, bytes: record.length };
}

function arrayOf(values: readonly string[]): string {
  const filled = values.filter((value) => value !== "");
  return `{${filled.map((value) => `"${value.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

const escaped = (text: string): string => text.replaceAll(/[\\\t\n\r]/g, (one) => escapes[one] ?? one);
