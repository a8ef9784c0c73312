/** Returns the id of the user that a HubKey names (hub-api 2.11); empty when it is no key. */
export function userOf(key: string): string {
  const { user_id: user } = claimsOf(key);
  return typeof user === "string" ? user : "";
}

/** Returns what tells homes of users apart: hub and user of a HubKey. */
export function homeOf(key: string): string {
  const { hub_id: hub } = claimsOf(key);
  return `${typeof hub === "string" ? hub : ""} ${userOf(key)}`;
}

/** Returns the name of the hub when a HubKey was made; empty if it does not say so. */
export function hubNameOf(key: string): string {
  const { hub_name: name } = claimsOf(key);
  return typeof name === "string" ? name : "";
}

/** Returns when a HubKey, or a token of the cloud, expires (ms since the epoch); never if it does not say so. */
export function endOf(key: string): number {
  const { exp } = claimsOf(key);
  return typeof exp === "number" ? exp * 1000 : Infinity;
}

interface Claims {
  readonly hub_id?: unknown;
  readonly hub_name?: unknown;
  readonly user_id?: unknown;
  readonly exp?: unknown;
}

function claimsOf(key: string): Claims {
  try {
    const [, claims = ""] = key.split(".");
    const text = atob(claims.replaceAll("-", "+").replaceAll("_", "/"));
    return (JSON.parse(text) as Claims | null) ?? {};
  } catch {
    return {};
  }
}
