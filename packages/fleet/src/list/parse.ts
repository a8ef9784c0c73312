import { limits } from "@ledge/model";
import { type ListCursor, listHash, readCursor, signCursor } from "./cursor.ts";
import { facetsOf, folded } from "./facets.ts";
import { type Filters, textFilters } from "./matching.ts";
import { type OrderBy, orders, type Position, positionOf } from "./order.ts";
import { type ListQuery, type Page, plainList } from "./query.ts";

/** A request for a page as clients send it (platform-api 4.4). */
export interface ListRequest {
  readonly pageSize?: unknown;
  readonly next?: unknown;
  readonly prev?: unknown;
  readonly orderBy?: unknown;
  readonly descending?: unknown;
  readonly search?: unknown;
  readonly filters?: unknown;
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export interface Links {
  readonly next: string | null;
  readonly prev: string | null;
}

/**
 * Checks a request for a page. Missing and null mean the same.
 * @param key signs cursors
 */
export function parseList(
  register: string,
  request: ListRequest,
  key: Uint8Array,
): { readonly query: ListQuery } | { readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const wrong = (field: string, message: string): undefined => void errors.push({ field, message });
  const pageSize = pageSizeIn(request.pageSize, wrong);
  const orderBy = orderIn(request.orderBy, wrong);
  const descending = request.descending ?? plainList.descending;
  if (typeof descending !== "boolean") wrong("descending", "must be a boolean");
  const search = searchIn(request.search, wrong);
  const filters = filtersIn(request.filters, wrong);
  const place = placeIn(request, key, wrong);
  if (errors.length > 0 || pageSize === undefined || orderBy === undefined) return { errors };
  const query = { orderBy, descending: descending === true, search, filters, pageSize };
  if (place === undefined) return { query: { ...plainList, ...query } };
  const { cursor, field } = place;
  if (cursor.list !== hashOf(register, query))
    return { errors: [{ field, message: "is of a list with another order, search or filters" }] };
  return { query: { ...query, from: cursor.from, backward: field === "prev" } };
}

/** Returns the links of a page; each is null where the list ends. */
export function linksOf(register: string, query: ListQuery, page: Page, key: Uint8Array): Links {
  const { from, backward } = query;
  const list = hashOf(register, query);
  const cursorAt = (position: Position | undefined): string | null =>
    position === undefined ? null : signCursor(key, { list, from: position });
  const first = placeOf(page.rows[0], query) ?? from;
  const last = placeOf(page.rows.at(-1), query) ?? from;
  const hasNext = backward ? true : page.hasMore;
  const hasPrev = backward ? page.hasMore : from !== undefined;
  return { next: hasNext ? cursorAt(last) : null, prev: hasPrev ? cursorAt(first) : null };
}

/** Returns the query of the page that follows in the direction of reading. */
export function readOn(query: ListQuery, { rows }: Page): ListQuery {
  const end = query.backward ? rows[0] : rows.at(-1);
  return { ...query, from: placeOf(end, query) ?? query.from };
}

function placeOf(
  row: Page["rows"][number] | undefined,
  { orderBy }: Pick<ListQuery, "orderBy">,
): Position | undefined {
  return row && positionOf(row.id, facetsOf(row.device), orderBy);
}

/** Returns the hash of a list: of which register, in which order, with which search and filters. */
function hashOf(
  register: string,
  { orderBy, descending, search, filters }: Pick<ListQuery, "orderBy" | "descending" | "search" | "filters">,
): string {
  const sorted = Object.entries(filters)
    .map(([name, value]) => [name, typeof value === "string" ? value : value?.toSorted()])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return listHash(register, orderBy, descending, search ?? null, sorted);
}

type Wrong = (field: string, message: string) => undefined;

function pageSizeIn(value: unknown, wrong: Wrong): number | undefined {
  if (value === undefined || value === null) return plainList.pageSize;
  const isFit = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= limits.pageSizeMost;
  return isFit ? (value as number) : wrong("pageSize", `must be an integer from 1 to ${limits.pageSizeMost}`);
}

function orderIn(value: unknown, wrong: Wrong): OrderBy | undefined {
  if (value === undefined || value === null) return plainList.orderBy;
  return orders.find((order) => order === value) ?? wrong("orderBy", `must be one of ${orders.join(", ")}`);
}

function searchIn(value: unknown, wrong: Wrong): string | undefined {
  if (value === undefined || value === null) return undefined;
  const { searchMinChars, searchMaxChars } = limits;
  const isFit = typeof value === "string" && value.length >= searchMinChars && value.length <= searchMaxChars;
  return isFit
    ? folded(value)
    : wrong("search", `must have ${searchMinChars} to ${searchMaxChars} characters`);
}

function filtersIn(value: unknown, wrong: Wrong): Filters {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    wrong("filters", "must be an object");
    return {};
  }
  const given = value as Readonly<Record<string, unknown>>;
  const texts: Record<string, string> = {};
  for (const name of textFilters) {
    const text = given[name];
    if (text === undefined || text === null) continue;
    if (isFilterText(text)) texts[name] = folded(text);
    else wrong(`filters.${name}`, `must be a text of at most ${limits.filterChars} characters`);
  }
  const tags = filterListIn("tags", given["tags"], wrong);
  const capabilities = filterListIn("capabilities", given["capabilities"], wrong);
  return { ...texts, ...(tags && { tags }), ...(capabilities && { capabilities }) };
}

/** Takes one text or a list of texts. An empty list filters nothing. */
function filterListIn(name: string, value: unknown, wrong: Wrong): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > limits.filterValues)
    return wrong(`filters.${name}`, `must have at most ${limits.filterValues} values`);
  if (!list.every(isFilterText))
    return wrong(`filters.${name}`, `must be texts of at most ${limits.filterChars} characters`);
  return list.length === 0 ? undefined : list.map(folded);
}

function isFilterText(value: unknown): value is string {
  return typeof value === "string" && value.length <= limits.filterChars;
}

function placeIn(
  { next, prev }: ListRequest,
  key: Uint8Array,
  wrong: Wrong,
): { readonly cursor: ListCursor; readonly field: "next" | "prev" } | undefined {
  const given = [["next", next] as const, ["prev", prev] as const].filter(
    ([, value]) => value !== undefined && value !== null,
  );
  if (given.length > 1) return wrong("prev", "must not be given with next");
  const [field, text] = given[0] ?? [];
  if (field === undefined) return undefined;
  const cursor = typeof text === "string" ? readCursor(key, text) : undefined;
  return cursor ? { cursor, field } : wrong(field, "is not a cursor of this list");
}
