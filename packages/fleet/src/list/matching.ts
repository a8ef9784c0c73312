import { facet, type Facets, facetValues } from "./facets.ts";

/** The filters of a list; all values are folded. A device must match every one of them. */
export interface Filters {
  readonly id?: string;
  readonly name?: string;
  readonly type?: string;
  readonly nativeId?: string;
  readonly serialNumber?: string;
  readonly model?: string;
  readonly manufacturer?: string;
  /** The id of a gateway. */
  readonly routing?: string;
  /** `key` or `key:value`. */
  readonly tags?: readonly string[];
  readonly capabilities?: readonly string[];
}

/** The filters that name a field of a device. */
const plainFilters = ["id", "name", "type", "nativeId", "serialNumber", "model", "manufacturer"] as const;
/** The filters that take one text. */
export const textFilters = [...plainFilters, "routing"] as const;
/** The filters that take several. */
export const listFilters = ["tags", "capabilities"] as const;

/** Returns whether a device matches the search and all filters. */
export function matches(facets: Facets, search: string | undefined, filters: Filters): boolean {
  if (search !== undefined && !facets.includes(search)) return false;
  return matchesFilters(facets, filters);
}

/** Returns whether a device matches all filters. */
export function matchesFilters(facets: Facets, filters: Filters): boolean {
  for (const field of plainFilters) {
    const wanted = filters[field];
    if (wanted !== undefined && facet(facets, field) !== wanted) return false;
  }
  const { routing, tags = [], capabilities = [] } = filters;
  if (routing !== undefined && facet(facets, "gatewayId") !== routing) return false;
  if (capabilities.length > 0 && !hasAll(facetValues(facets, "capabilities"), capabilities)) return false;
  return tags.length === 0 || hasTags(facetValues(facets, "tags"), tags);
}

function hasAll(values: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((value) => values.includes(value));
}

/** A key of a tag has no colon, so the first colon ends it. */
function hasTags(tags: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((want) =>
    want.includes(":") ? tags.includes(want) : tags.some((tag) => tag.startsWith(`${want}:`)),
  );
}
