// Commands for the protocols of the hub's radios and lines.
import { type Answer, call } from "./call.ts";

/** Sends a command of a protocol. @param more the command's fields besides its type */
export function protocol<T>(type: string, more: object = {}, signal?: AbortSignal): Promise<Answer<T>> {
  const body = [{ type, ...more }];
  return call("/hub/protocolconfig", { method: "POST", body, ...(signal && { signal }) });
}
