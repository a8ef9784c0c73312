import { createHash } from "node:crypto";
import type { Login } from "./http-digest.ts";
import { escaped } from "./xml.ts";

const namespaces = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";

/**
 * Returns the digest of a password (WS-Security UsernameToken Profile 1.0, 3.1): Base64(SHA-1(nonce + created +
 * password)).
 * @param created as in the message, such as `2026-01-31T12:00:00Z`
 */
export function passwordDigest(nonce: Uint8Array, created: string, password: string): string {
  return createHash("sha1").update(nonce).update(created).update(password).digest("base64");
}

/**
 * Returns the header of a message that shows who sends it, without showing the password.
 * @param created the time by the device's own clock, ms since the epoch
 * @param nonce 16 fresh random bytes
 */
export function securityHeader({ username, password }: Login, created: number, nonce: Uint8Array): string {
  const at = new Date(created).toISOString().replace(/\.\d+Z$/, "Z");
  const digest = passwordDigest(nonce, at, password);
  return (
    `<wsse:Security s:mustUnderstand="1" xmlns:wsse="${namespaces}-wssecurity-secext-1.0.xsd" ` +
    `xmlns:wsu="${namespaces}-wssecurity-utility-1.0.xsd"><wsse:UsernameToken>` +
    `<wsse:Username>${escaped(username)}</wsse:Username>` +
    `<wsse:Password Type="${namespaces}-username-token-profile-1.0#PasswordDigest">${digest}</wsse:Password>` +
    `<wsse:Nonce EncodingType="${namespaces}-soap-message-security-1.0#Base64Binary">` +
    `${Buffer.from(nonce).toString("base64")}</wsse:Nonce>` +
    `<wsu:Created>${at}</wsu:Created></wsse:UsernameToken></wsse:Security>`
  );
}
