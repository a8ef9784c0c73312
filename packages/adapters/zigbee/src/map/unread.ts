import type { ZclRead } from "./action.ts";
import { clusterNamed } from "./attributes.ts";
import type { ClusterMap } from "./cluster.ts";
import type { EndpointFacts } from "./facts.ts";
import { readsOf } from "./reads.ts";
import type { Unit } from "./unit.ts";
import { valuesOf } from "./values.ts";

/**
 * Returns the reads of what the hub does not know of a device yet: what `unreadOptions` returns, and facts of
 * which none was ever read, because the device slept at the time or was paired before the hub knew of them.
 */
export function unread(units: readonly Unit[]): readonly ZclRead[] {
  return [
    ...readsIn(units, ({ facts = [] }, _, isKnown) => (facts.some(isKnown) ? [] : facts)),
    ...unreadOptions(units),
  ];
}

/**
 * Returns the reads of optional attributes and settings that devices without a definition have not told yet.
 * Nobody but the device itself knows which ones it has.
 */
export function unreadOptions(units: readonly Unit[]): readonly ZclRead[] {
  const strangers = units.filter(({ known }) => known === undefined);
  return readsIn(strangers, (map, endpoint, isKnown) => {
    const optional = (map.optional?.(endpoint) ?? []).map(({ attribute }) => attribute);
    const settings = (map.settings ?? []).map(({ attribute }) => attribute);
    return [...new Set([...optional, ...settings])].filter((name) => !isKnown(name));
  });
}

function readsIn(
  units: readonly Unit[],
  namesOf: (
    map: ClusterMap,
    endpoint: EndpointFacts,
    isKnown: (attribute: string) => boolean,
  ) => readonly string[],
): readonly ZclRead[] {
  return units.flatMap(({ served }) =>
    served.flatMap(({ endpoint, cluster }) => {
      const map = clusterNamed(cluster);
      const said = valuesOf(endpoint.values, cluster);
      const names = map === undefined ? [] : namesOf(map, endpoint, (name) => said[name] !== undefined);
      return readsOf(endpoint.id, cluster, names);
    }),
  );
}
