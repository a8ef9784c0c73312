import { type AnyCommand, refusalOf } from "../model/submitting.ts";
import { spanned } from "../tracing/tracing.ts";
import { type Failed, failureIn } from "./errors.ts";
import type { GraphCall } from "./row.ts";

/**
 * Submits commands of the cloud as their caller, as one: a single rejection refuses all of them.
 * @returns why they were refused; undefined once the resulting events are durable
 * @throws KernelError
 */
export async function failureOf(
  { caller, parts }: Pick<GraphCall<"caller", unknown>, "caller" | "parts">,
  ...commands: readonly AnyCommand[]
): Promise<Failed | undefined> {
  const { kernel } = parts.cloud;
  const refused = await spanned("commit", () => refusalOf(kernel, `user:${caller.account}`, ...commands));
  return failureIn(refused);
}
