import type { IssuerKey } from "@ledge/link";
import { signHubKey } from "@ledge/link";
import type { Hub, HubUser } from "@ledge/model";
import { limits } from "@ledge/model";

export { generateIssuerKey as makeIdentityKey } from "@ledge/link";

/**
 * A HubKey of a user's by the hub itself, good for `limits.recoveredKeyMs`.
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
  return signHubKey(claims, issuer, key, now, limits.recoveredKeyMs);
}
