import { decode } from "@msgpack/msgpack";
import { invalid, Refused } from "@ledge/link";
import { limits } from "@ledge/model";

/** A length that is announced must not make room for more than a body can hold. */
const bounds = {
  maxArrayLength: limits.executeBytes,
  maxMapLength: limits.executeBytes,
  maxStrLength: limits.executeBytes,
  maxBinLength: limits.executeBytes,
  maxExtLength: limits.executeBytes,
} as const;

/**
 * Returns the base64 of a command as JSON.
 * @param body JSON, or MessagePack when its type says so
 */
export function payloadOf(body: Uint8Array, contentType: string | undefined): string | Refused {
  if (!/^application\/(?:x-)?msgpack\b/i.test(contentType ?? "")) return Buffer.from(body).toString("base64");
  try {
    return Buffer.from(JSON.stringify(decode(body, bounds)) ?? "").toString("base64");
  } catch {
    return invalid([{ field: "", message: "the body is not MessagePack" }]);
  }
}
