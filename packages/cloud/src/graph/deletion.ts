import { Failed } from "./errors.ts";
import { type GraphOperation, operationObject } from "./operation-object.ts";
import type { GraphCall } from "./row.ts";

type DeletionCall = Pick<GraphCall<"caller", unknown>, "caller" | "parts" | "correlationId">;

/**
 * Begins to delete something in a tenant with all below it.
 * @param command the type of the message
 * @param target the ids of what it is about, as `deleting` reads them
 */
export async function beginDeletion(
  command: string,
  target: Readonly<Record<string, string>>,
  { caller, parts, correlationId }: DeletionCall,
): Promise<{ operation: GraphOperation } | Failed> {
  const about = { command, owner: caller.account, target, input: {}, correlationId: correlationId ?? null };
  const operation = await parts.operations.begin(about);
  return operation instanceof Failed ? operation : { operation: operationObject(operation) };
}
