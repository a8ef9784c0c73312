import { limits } from "@ledge/model";
import type { DeviceRow } from "../row.ts";
import type { Filters } from "./matching.ts";
import type { OrderBy, Position } from "./order.ts";

/** A checked request for a page of the devices of a register. */
export interface ListQuery {
  readonly orderBy: OrderBy;
  readonly descending: boolean;
  /** Folded. */
  readonly search: string | undefined;
  readonly filters: Filters;
  readonly pageSize: number;
  /** Where to read on, without the device there; undefined for the first page. */
  readonly from: Position | undefined;
  /** Whether to read the page before `from`. */
  readonly backward: boolean;
}

/** What a request without fields asks for. */
export const plainList: ListQuery = {
  orderBy: "id",
  descending: false,
  search: undefined,
  filters: {},
  pageSize: limits.pageSize,
  from: undefined,
  backward: false,
};

export interface Page {
  /** In the order of the query, also when it reads backward. */
  readonly rows: readonly DeviceRow[];
  /** Whether more rows follow in the direction of reading. */
  readonly hasMore: boolean;
}
