import type { HubPorts } from "./ports.ts";

/**
 * Returns the answer to ZWAVE_GET_NODES with `deviceId`, the hub's device of each node (wire-facts 2.1), in place of its
 * `native`. An adapter does not know the ids of the hub. A node that the hub does not have keeps null.
 */
export function withDeviceIds(answer: unknown, { kernel }: HubPorts): unknown {
  if (!Array.isArray(answer)) return answer;
  const ids = new Map<unknown, string>();
  for (const [id, { protocol, native, removed }] of kernel.all("binding"))
    if (protocol === "zwave" && !removed) ids.set(native, id);
  return answer.map((node: object) => {
    if (!("native" in node)) return node;
    const { native, ...rest } = node;
    return { ...rest, deviceId: ids.get(native) ?? null };
  });
}
