import type { IssuerKey } from "@ledge/link";
import { signHubKey } from "@ledge/link";
import type { Hub, HubUser } from "@ledge/model";

export { generateIssuerKey as makeIdentityKey } from "@ledge/link";

/** How long (ms) a key that the hub signs itself is good for. */
const recoveredKeyMs = 24 * 3_600_000;

/**
 * A HubKey of a user's by the hub itself.
 * @param issuer what it names as `iss`.
 * @param now ms since the epoch.
 */
export function signRecoveredKey(
  hub: Hub,
  { user_info: { user, role } }: HubUser,
  issuer: string,
  key: IssuerKey,
  now: number,
): Promise<string> {
  const { uid: user_id, email, nickname } = user;
  const who = { user_id, email, nickname, role, owner: user_id === hub.owner };
  const claims = { hub_id: hub.id, hub_name: hub.name, ...who, auth_seq: 0 };
  return signHubKey(claims, issuer, key, now, recoveredKeyMs);
}
