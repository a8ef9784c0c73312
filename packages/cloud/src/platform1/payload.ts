/**
 * Returns the fields of Execute for a command in bytes.
 * @param body JSON, or MessagePack when its type says so
 */
export function payloadOf(
  body: Uint8Array,
  contentType: string | undefined,
): { readonly payload: string; readonly payloadType: string } {
  const isPacked = /^application\/(?:x-)?msgpack\b/i.test(contentType ?? "");
  const payloadType = isPacked ? "application/msgpack" : "application/json";
  return { payload: Buffer.from(body).toString("base64"), payloadType };
}
