import { createHmac } from "node:crypto";

/** What secrets of Standard Webhooks begin with. */
const prefix = "whsec_";
const secretBytes = 32;

/** Returns a new signing secret: `whsec_` and base64. */
export function newSecret(random: (size: number) => Uint8Array): string {
  return prefix + Buffer.from(random(secretBytes)).toString("base64");
}

/**
 * Returns the headers that prove who sends a message, and when (Standard Webhooks 1.0): `webhook-id`,
 * `webhook-timestamp`, and `webhook-signature` with one signature for each secret.
 * @param id of the message, the same each time it is sent
 * @param seconds since the epoch
 * @param secrets from `newSecret`
 */
export function signatureHeaders(
  id: string,
  seconds: number,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
