import type { GraphCaller } from "../graph/caller.ts";
import type { Call } from "./row.ts";

/** Returns who sends a message to Graph, of a call. An access token binds its caller to a tenant, and to scopes. */
export function graphCaller({
  caller: { account, access },
  address,
  header,
}: Pick<Call<"platform", unknown>, "caller" | "address" | "header">): GraphCaller {
  const language = header("accept-language");
  return { account: account.id, address, ...access, ...(language !== undefined && { language }) };
}
