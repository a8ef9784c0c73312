/** Returns the id of the user that a HubKey names (hub-api 2.11); empty when it is no key. */
export function userOf(key: string): string {
  const { user_id: user } = claimsOf(key);
  return typeof user === "string" ? user : "";
}

/** Returns when a HubKey expires (ms since the epoch); never if it does not say so. */
export function endOf(key: string): number {
  const { exp } = claimsOf(key);
  return typeof exp === "number" ? exp * 1000 : Infinity;
}

function claimsOf(key: string): { readonly user_id?: unknown; readonly exp?: unknown } {
  try {
    const [, claims = ""] = key.split(".");
    const text = atob(claims.replaceAll("-", "+").replaceAll("_", "/"));
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}
