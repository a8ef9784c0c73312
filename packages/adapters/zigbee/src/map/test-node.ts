import type { ClusterValues, EndpointFacts, NodeFacts } from "./facts.ts";

/** An endpoint of a test device. */
export interface EndpointRow {
  readonly id?: number;
  readonly profile?: number;
  readonly device: number;
  readonly in: readonly number[];
  readonly out?: readonly number[];
  readonly values?: ClusterValues;
}

export function endpointFacts(row: EndpointRow): EndpointFacts {
  const { id = 1, profile = 0x0104, device, out: output = [], values } = row;
  return { id, profile, device, input: row.in, output, ...(values && { values }) };
}

export const testIeee = "0x00124b0012345678";

/** Returns a test device, on mains by default. */
export function nodeFacts(
  endpoints: readonly EndpointRow[],
  about: Partial<Omit<NodeFacts, "endpoints">> = {},
): NodeFacts {
  return {
    ieee: testIeee,
    manufacturer: "Ledge",
    model: "Test",
    type: "Router",
    powerSource: "Mains (single phase)",
    ...about,
    endpoints: endpoints.map(endpointFacts),
  };
}
