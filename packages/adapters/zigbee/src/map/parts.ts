import type { EndpointFacts, NodeFacts } from "./facts.ts";
import type { ReadModel } from "./known-features.ts";

/** Clusters that make an endpoint a separate part: switches, locks, covers, thermostats. */
const actuators: ReadonlySet<number> = new Set([0x0006, 0x0101, 0x0102, 0x0201]);
/** Green Power uses an endpoint and profile of its own. */
const greenPower = 0xa1e0;

/**
 * The parts of a node that form a unit: its endpoints, main one first, and its endpoint names in the
 * definition.
 */
export interface Part {
  readonly endpoints: readonly EndpointFacts[];
  /** Null stands for features of no endpoint. */
  readonly names: readonly (string | null)[];
  /** The suffix of its native id after the IEEE address. */
  readonly suffix: string;
}

export function endpointsOf({ endpoints }: NodeFacts): readonly EndpointFacts[] {
  return endpoints.filter(({ profile, id }) => profile !== greenPower && id >= 1 && id <= 240);
}

/** Returns the parts of a node that switch separately, by its definition if it has one. */
export function partsOf(node: NodeFacts, model: ReadModel | undefined): readonly Part[] {
  const endpoints = endpointsOf(node);
  return model ? knownParts(endpoints, model) : genericParts(endpoints);
}

function genericParts(endpoints: readonly EndpointFacts[]): readonly Part[] {
  const [main, ...further] = endpoints.filter(({ input }) => input.some((id) => actuators.has(id)));
  const rest = endpoints.filter((endpoint) => endpoint !== main && !further.includes(endpoint));
  return [
    { endpoints: main ? [main, ...rest] : rest, names: [], suffix: "" },
    ...further.map((endpoint) => ({ endpoints: [endpoint], names: [], suffix: `${endpoint.id}` })),
  ];
}

const switching: ReadonlySet<string> = new Set(["isOn", "locked", "position", "targetTemp"]);

/** Splits by what the definition switches: endpoints without a switch are not parts. */
function knownParts(endpoints: readonly EndpointFacts[], model: ReadModel): readonly Part[] {
  const { features, settings, others: leaves } = model;
  const switched = features.filter(
    ({ write, attributes }) => write && attributes.some((a) => switching.has(a)),
  );
  const [first, ...further] = [...new Set(switched.map(({ endpoint }) => endpoint))].filter(
    (name, _, all) => name !== null || all.length === 1,
  );
  const idOf = (name: string | null | undefined): number | undefined =>
    typeof name === "string" && Object.hasOwn(model.endpoints, name) ? model.endpoints[name] : undefined;
  const taken = new Set(further.map(idOf));
  // Parts that share one endpoint are distinguished by their names.
  const isShared = (name: string | null): boolean => idOf(name) === idOf(first) || idOf(name) === undefined;
  const main =
    endpoints.find(({ id }) => id === idOf(first)) ??
    endpoints.find(({ input }) => input.some((id) => actuators.has(id)));
  const rest = endpoints.filter((endpoint) => endpoint !== main && !taken.has(endpoint.id));
  const names = new Set(further);
  const others = [...features, ...settings, ...leaves]
    .map(({ endpoint }) => endpoint)
    .filter((name) => !names.has(name));
  return [
    { endpoints: main ? [main, ...rest] : rest, names: [null, ...new Set(others)], suffix: "" },
    ...further.map((name) => ({
      endpoints: endpoints.filter(({ id }) => id === idOf(name)),
      names: [name],
      suffix: isShared(name) ? `${name}` : `${idOf(name)}`,
    })),
  ];
}
