import type { RegisterDevice } from "../row.ts";

/**
 * What the lists search, filter and order by: the text fields of a device in lower case, in the order of
 * `facetFields`, each ended by a NUL. The values of a list are ended by a SOH each. So a text without control
 * characters is found only within one value.
 */
export type Facets = string & { readonly facets?: never };

/** The fields in their order. A tag is `key:value`. */
const facetFields = [
  "id",
  "name",
  "type",
  "nativeId",
  "serialNumber",
  "model",
  "manufacturer",
  "gatewayId",
  "protocol",
  "createdBy",
  "modifiedBy",
  "capabilities",
  "tags",
] as const;
export type FacetField = (typeof facetFields)[number];

const fieldEnd = "\u0000";
const valueEnd = "\u0001";
// oxlint-disable-next-line no-control-regex -- they end fields and values
const ends = /[\u0000\u0001]/g;

export function facetsOf(device: RegisterDevice): Facets {
  const { routing, capabilities, tags } = device;
  const listed = (values: readonly string[]): string =>
    values.map((value) => `${folded(value)}${valueEnd}`).join("");
  const texts: Readonly<Record<FacetField, string>> = {
    id: folded(device.id),
    name: folded(device.name),
    type: folded(device.type),
    nativeId: folded(device.nativeId),
    serialNumber: folded(device.serialNumber),
    model: folded(device.model),
    manufacturer: folded(device.manufacturer),
    gatewayId: folded(routing.gatewayId ?? ""),
    protocol: folded(routing.protocol ?? ""),
    createdBy: folded(device.createdBy),
    modifiedBy: folded(device.modifiedBy),
    capabilities: listed(capabilities),
    tags: listed(Object.entries(tags).map(([key, value]) => `${key}:${value}`)),
  };
  return facetFields.map((field) => `${texts[field]}${fieldEnd}`).join("");
}

/** Returns one field of facets. */
export function facet(facets: Facets, field: FacetField): string {
  let start = 0;
  for (let skipped = facetFields.indexOf(field); skipped > 0; skipped--)
    start = facets.indexOf(fieldEnd, start) + 1;
  return facets.slice(start, facets.indexOf(fieldEnd, start));
}

/** Returns the values of a list in facets. */
export function facetValues(facets: Facets, field: "capabilities" | "tags"): readonly string[] {
  return facet(facets, field).split(valueEnd).slice(0, -1);
}

/** Returns a text as facets hold it. */
export function folded(text: string): string {
  return text.toLowerCase().replace(ends, " ").toWellFormed();
}
