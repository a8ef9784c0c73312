import type { ClusterMap, OptionalAttribute } from "./cluster.ts";
import type { EndpointFacts } from "./facts.ts";
import { valuesOf } from "./values.ts";

/**
 * Returns the optional attributes that an endpoint has answered a read of, also with the invalid value: a meter
 * that cannot measure at the moment can later.
 */
export function optionalOf(endpoint: EndpointFacts, map: ClusterMap): readonly OptionalAttribute[] {
  const said = valuesOf(endpoint.values, map.cluster);
  return (map.optional?.(endpoint) ?? []).filter(({ attribute }) => typeof said[attribute] === "number");
}
