import type { Capability } from "@ledge/model";
import type { ClusterMap, OptionalAttribute } from "./cluster.ts";
import { has } from "./cluster.ts";
import { iasZone } from "./clusters/ias-zone.ts";
import type { EndpointFacts, NodeFacts } from "./facts.ts";
import { isBattery } from "./power-source.ts";
import { attributesShown } from "./promised.ts";
import { readsOf } from "./reads.ts";
import type { Binding, Reporting, UnitSetup } from "./unit.ts";

/** A cluster that a unit uses, and the capabilities it contributes. */
export interface ServedCluster {
  readonly endpoint: EndpointFacts;
  readonly map: ClusterMap;
  readonly capabilities: readonly Capability[];
  /** The optional attributes that the device has and no definition knows better. */
  readonly optional: readonly OptionalAttribute[];
}

/** Clusters through which remotes control others; bound so that remotes send to the hub. */
const controlling: Readonly<Record<number, string>> = {
  0x0005: "genScenes",
  0x0006: "genOnOff",
  0x0008: "genLevelCtrl",
  0x0102: "closuresWindowCovering",
  0x0300: "lightingColorCtrl",
};

interface Setup {
  readonly node: NodeFacts;
  readonly endpoints: readonly EndpointFacts[];
  /** The clusters that contribute to the unit. */
  readonly used: readonly ServedCluster[];
  readonly capabilities: readonly Capability[];
  /** Attributes that a definition reads: its `configure` sets up the device for them. */
  readonly own: ReadonlySet<string>;
}

/** Returns the set-up that makes a unit report its changes. */
export function setupOf({ node, endpoints, used, capabilities, own }: Setup): UnitSetup {
  const ours = used.filter((served) =>
    [...attributesShown(served.capabilities)].some((name) => !own.has(name)),
  );
  const reporting = ours.flatMap(({ endpoint, map, optional }): Reporting[] => {
    const further = optional.flatMap(({ attribute, reporting: how }) => (how ? [{ attribute, ...how }] : []));
    return [...(map.reporting?.(endpoint) ?? []), ...further].map((each) => ({
      ...each,
      endpoint: endpoint.id,
      cluster: map.cluster,
    }));
  });
  const controls = capabilities.includes("REMOTE_CONTROL") ? controllingOf(endpoints) : [];
  return {
    bindings: distinct([...reporting, ...controls]),
    reporting,
    // A sleepy sensor is read as little as possible.
    reads: (isBattery(node) ? ours : used).flatMap(({ endpoint, map, optional }) =>
      readsOf(endpoint.id, map.cluster, [...map.state(endpoint), ...shownBy(optional)]),
    ),
    polls: ours.flatMap(({ endpoint, map, optional }) =>
      readsOf(endpoint.id, map.cluster, [...(map.unreported ?? []), ...unreported(optional)]),
    ),
    // A zone that has not reported its type yet stays silent until it is enrolled.
    zones: endpoints.filter((endpoint) => has(endpoint, iasZone)).map(({ id }) => id),
  };
}

/** Scales and abilities do not change, so they are not read again. */
function shownBy(optional: readonly OptionalAttribute[]): readonly string[] {
  const changing = optional.filter(({ capability, reporting }) => capability ?? reporting);
  return changing.map(({ attribute }) => attribute);
}

function unreported(optional: readonly OptionalAttribute[]): readonly string[] {
  const silent = optional.filter(({ capability, reporting }) => capability && reporting === undefined);
  return silent.map(({ attribute }) => attribute);
}

function controllingOf(endpoints: readonly EndpointFacts[]): readonly Binding[] {
  return endpoints.flatMap(({ id, output }) =>
    output.flatMap((cluster) => {
      const name = controlling[cluster];
      return name === undefined ? [] : [{ endpoint: id, cluster: name }];
    }),
  );
}

function distinct(bindings: readonly Binding[]): readonly Binding[] {
  const byKey = new Map(
    bindings.map(({ endpoint, cluster }) => [`${endpoint}/${cluster}`, { endpoint, cluster }] as const),
  );
  return [...byKey.values()];
}
