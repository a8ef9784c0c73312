import type { Capability } from "@ledge/model";
import type { ZclRead } from "./action.ts";
import type { ClusterMap } from "./cluster.ts";
import { has } from "./cluster.ts";
import { iasZone } from "./clusters/ias-zone.ts";
import type { EndpointFacts, NodeFacts } from "./facts.ts";
import { isBattery } from "./power-source.ts";
import { attributesShown } from "./promised.ts";
import type { Binding, Reporting, UnitSetup } from "./unit.ts";

/** A cluster that speaks for a unit, and what it gives it. */
export interface ServedCluster {
  readonly endpoint: EndpointFacts;
  readonly map: ClusterMap;
  readonly capabilities: readonly Capability[];
}

/** Clusters by which remotes control others, which are bound so that they send to the hub. */
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
  /** The clusters that give the unit something. */
  readonly used: readonly ServedCluster[];
  readonly capabilities: readonly Capability[];
  /** Attributes that a definition reads: its `configure` sets the device up for them. */
  readonly own: ReadonlySet<string>;
}

/** What makes a unit say what changes. */
export function setupOf({ node, endpoints, used, capabilities, own }: Setup): UnitSetup {
  const ours = used.filter((served) =>
    [...attributesShown(served.capabilities)].some((name) => !own.has(name)),
  );
  const reporting = ours.flatMap(({ endpoint, map }): Reporting[] =>
    (map.reporting?.(endpoint) ?? []).map((each) => ({
      ...each,
      endpoint: endpoint.id,
      cluster: map.cluster,
    })),
  );
  const controls = capabilities.includes("REMOTE_CONTROL") ? controllingOf(endpoints) : [];
  return {
    bindings: distinct([...reporting, ...controls]),
    reporting,
    // A sleeping sensor is asked for no more than it must be.
    reads: (isBattery(node) ? ours : used).flatMap(({ endpoint, map }): ZclRead[] => {
      const attributes = map.state(endpoint);
      if (attributes.length === 0) return [];
      return [{ kind: "read", endpoint: endpoint.id, cluster: map.cluster, attributes }];
    }),
    // One that has not said yet of what type it is says nothing before it is enrolled.
    zones: endpoints.filter((endpoint) => has(endpoint, iasZone)).map(({ id }) => id),
  };
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
