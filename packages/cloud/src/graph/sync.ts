import { Failed } from "./errors.ts";
import { type GraphOperation, operationObject } from "./operation-object.ts";
import type { GraphCall } from "./row.ts";

/** Begins to replicate the home of a hub anew. */
export async function beginSync({
  caller,
  target: { hubId },
  parts,
  correlationId,
}: GraphCall<"hub", unknown>): Promise<{ operation: GraphOperation } | Failed> {
  if (parts.relay.tunnels.reach(hubId) !== "open")
    return new Failed("E_HUB_OFFLINE", "the hub is not connected to the cloud");
  const operation = await parts.operations.begin({
    command: "SyncHubCommand",
    owner: caller.account,
    target: { hubId },
    input: {},
    correlationId: correlationId ?? null,
  });
  return operation instanceof Failed ? operation : { operation: operationObject(operation) };
}
