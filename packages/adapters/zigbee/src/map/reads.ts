import type { ZclRead } from "./action.ts";

/**
 * How many attributes one read asks for: ten values of four octets, with identifiers and types, fit into the 82
 * octets that a frame has for them without fragmentation.
 */
const most = 10;

/** Returns the reads of attributes: none without any, several when the answer would not fit into one frame. */
export function readsOf(
  endpoint: number,
  cluster: string,
  attributes: readonly string[],
): readonly ZclRead[] {
  const count = Math.ceil(attributes.length / most);
  return Array.from({ length: count }, (_, index): ZclRead => {
    return {
      kind: "read",
      endpoint,
      cluster,
      attributes: attributes.slice(index * most, (index + 1) * most),
    };
  });
}
