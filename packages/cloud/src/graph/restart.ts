import { features } from "@ledge/model";
import { instanceOf } from "../operations/restarting.ts";
import { Failed } from "./errors.ts";
import { type GraphOperation, operationObject } from "./operation-object.ts";
import type { GraphCall } from "./row.ts";

type RestartCall = Pick<GraphCall<"hub", unknown>, "caller" | "target" | "parts" | "correlationId">;

/**
 * Begins to restart a hub.
 * @param command the type of the message
 * @param target the ids of what it is about
 */
export async function beginRestart(
  command: string,
  target: Readonly<Record<string, string>>,
  { caller, target: hub, parts, correlationId }: RestartCall,
): Promise<{ operation: GraphOperation } | Failed> {
  if (!hub.registration.features.includes(features.REMOTE_USAGE))
    return new Failed("E_REMOTE_DISABLED", "remote access is not enabled for this hub");
  const instance = instanceOf(hub.hubId, parts.relay);
  if (instance === undefined) return new Failed("E_HUB_OFFLINE", "the hub is not connected to the cloud");
  const operation = await parts.operations.begin({
    command,
    owner: caller.account,
    target,
    input: { instance },
    correlationId: correlationId ?? null,
  });
  return operation instanceof Failed ? operation : { operation: operationObject(operation) };
}
