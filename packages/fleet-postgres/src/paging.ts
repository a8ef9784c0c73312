import type { DeviceRow, Filters, ListQuery, OrderBy, Page } from "@ledge/fleet";
import { decodeRow } from "@ledge/fleet/store";
import { limits } from "@ledge/model";
import type { Session } from "./connections.ts";
import { valueEnd } from "./row-columns.ts";

/** The column of each order. */
const orderColumns: Readonly<Record<OrderBy, string>> = {
  id: "id",
  name: "by_name",
  nativeId: "by_native_id",
  serialnumber: "by_serial_number",
  type: "by_type",
  createdBy: "by_created_by",
  modifiedBy: "by_modified_by",
};

/** The column of each filter that takes one text. */
const filterColumns = {
  id: "folded_id",
  name: "name",
  type: "type",
  nativeId: "native_id",
  serialNumber: "serial_number",
  model: "model",
  manufacturer: "manufacturer",
  routing: "gateway_id",
} as const satisfies Partial<Record<keyof Filters, string>>;

/** Reads a page of the devices of a register. */
export async function readPage(session: Session, register: string, query: ListQuery): Promise<Page> {
  const { orderBy, descending, backward, from, pageSize } = query;
  const values: unknown[] = [register];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ["register = $1", "kind = 'device'", ...conditionsOf(query, place)];
  const isReversed = descending !== backward;
  const column = orderColumns[orderBy];
  const order = orderBy === "id" ? [column] : [column, "id"];
  if (from !== undefined) {
    const position = orderBy === "id" ? place(from.id) : `${place(from.value)}, ${place(from.id)}`;
    conditions.push(`(${order.join(", ")}) ${isReversed ? "<" : ">"} (${position})`);
  }
  const found = await session.query<{ id: string; record: Buffer }>(
    `SELECT id, record FROM ledge.rows WHERE ${conditions.join(" AND ")}
     ORDER BY ${order.map((by) => `${by} ${isReversed ? "DESC" : "ASC"}`).join(", ")} LIMIT ${pageSize + 1}`,
    values,
  );
  const rows = found
    .slice(0, pageSize)
    .map(({ id, record }) => decodeRow({ register, kind: "device", id }, record) as DeviceRow);
  return { rows: backward ? rows.toReversed() : rows, hasMore: found.length > pageSize };
}

function conditionsOf({ search, filters }: ListQuery, place: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  const searched = (pattern: string): void => void conditions.push(`search LIKE ${place(pattern)}`);
  // A folded search has spaces in place of what ends a field.
  if (search !== undefined) searched(`%${plain(search)}%`);
  /** What a filter wants stands in the text of the search too, whose index finds the few of a large register. */
  const hinted = (pattern: string, wanted: string): void => {
    if (wanted.length >= limits.searchMinChars) searched(pattern);
  };
  for (const [filter, column] of Object.entries(filterColumns)) {
    const wanted = filters[filter as keyof typeof filterColumns];
    if (wanted === undefined) continue;
    conditions.push(`${column} = ${place(wanted)}`);
    // The id is the first field.
    hinted(`${filter === "id" ? "" : `%${valueEnd}`}${plain(wanted)}${valueEnd}%`, wanted);
  }
  const { tags = [], capabilities = [] } = filters;
  if (capabilities.length > 0) conditions.push(`capabilities @> ${place(capabilities)}::text[]`);
  for (const capability of capabilities) hinted(`%${valueEnd}${plain(capability)}${valueEnd}%`, capability);
  for (const tag of tags) {
    const isWhole = tag.includes(":");
    conditions.push(
      isWhole
        ? `${place(tag)} = ANY (tags)`
        : `EXISTS (SELECT FROM unnest(tags) AS tag WHERE starts_with(tag, ${place(`${tag}:`)}))`,
    );
    hinted(`%${valueEnd}${plain(tag)}${isWhole ? valueEnd : ":"}%`, tag);
  }
  return conditions;
}

/** Returns a text as a pattern that it alone fits. */
const plain = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");
