import type { Row } from "@ledge/fleet";
import { facet, type Facets, facetsOf, facetValues, orderedText } from "@ledge/fleet/store";
import type { Session } from "./connections.ts";

/** What lists search, filter and order by; nothing of an alarm. */
const listColumns = [
  "search",
  "folded_id",
  "name",
  "type",
  "native_id",
  "serial_number",
  "model",
  "manufacturer",
  "gateway_id",
  "tags",
  "capabilities",
  "by_name",
  "by_native_id",
  "by_serial_number",
  "by_type",
  "by_created_by",
  "by_modified_by",
] as const;
type ListColumns = Readonly<Record<(typeof listColumns)[number], string | null>>;

/** The columns that a newer row replaces; those before them say which row it is. */
const content = ["record", ...listColumns] as const;
export const columns = ["register", "kind", "id", "source", ...content] as const;
type Column = (typeof columns)[number];

export type RowColumns = Readonly<Record<Column, string | Buffer | null>>;

/** Ends the fields of a search text, and the values of a list. Facets have none within a value. */
export const valueEnd = "\u0001";

/** Returns what is stored of a row. Lists are texts, each value ended by `valueEnd`. */
export function columnsOf({ register, kind, id, source, ...row }: Row, record: Buffer): RowColumns {
  const key = { register, kind, id, source, record };
  return { ...key, ...("device" in row ? deviceColumns(facetsOf(row.device)) : alarmColumns) };
}

const alarmColumns = Object.fromEntries(listColumns.map((column) => [column, null])) as ListColumns;

function deviceColumns(facets: Facets): ListColumns {
  const by = (field: Parameters<typeof facet>[1]): string => orderedText(facet(facets, field));
  const list = (field: "capabilities" | "tags"): string => facetValues(facets, field).join(valueEnd);
  return {
    search: searchedText(facets),
    folded_id: facet(facets, "id"),
    name: facet(facets, "name"),
    type: facet(facets, "type"),
    native_id: facet(facets, "nativeId"),
    serial_number: facet(facets, "serialNumber"),
    model: facet(facets, "model"),
    manufacturer: facet(facets, "manufacturer"),
    gateway_id: facet(facets, "gatewayId"),
    tags: list("tags"),
    capabilities: list("capabilities"),
    by_name: by("name"),
    by_native_id: by("nativeId"),
    by_serial_number: by("serialNumber"),
    by_type: by("type"),
    by_created_by: by("createdBy"),
    by_modified_by: by("modifiedBy"),
  };
}

/** PostgreSQL stores no NUL. */
function searchedText(facets: Facets): string {
  return facets.replaceAll("\u0000", valueEnd);
}

export const isList = (column: Column): boolean => column === "tags" || column === "capabilities";
const typeOf = (column: Column): string => (column === "record" ? "bytea[]" : "text[]");
const selected = columns.map((column) =>
  isList(column) ? `string_to_array(given.${column}, E'\\x01')` : `given.${column}`,
);
const insert = `
  INSERT INTO ledge.rows (${columns.join(", ")})
  SELECT ${selected.join(", ")}
  FROM unnest(${columns.map((column, at) => `$${at + 1}::${typeOf(column)}`).join(", ")})
    AS given (${columns.join(", ")})
  ON CONFLICT (register, kind, id) DO UPDATE SET ${content
    .map((column) => `${column} = excluded.${column}`)
    .join(", ")}
  WHERE rows.source = excluded.source
  RETURNING 1`;

/**
 * Stores rows, each key once.
 * @returns how many were stored; the others have become another source's
 */
export async function insertRows(session: Session, rows: readonly RowColumns[]): Promise<number> {
  const values = columns.map((column) => rows.map((row) => row[column]));
  return (await session.query(insert, values)).length;
}
