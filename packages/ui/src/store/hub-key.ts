/** Returns the id of the user that a HubKey names (hub-api 2.11); empty when it is no key. */
export function userOf(key: string): string {
  try {
    const [, claims = ""] = key.split(".");
    const text = atob(claims.replaceAll("-", "+").replaceAll("_", "/"));
    const { user_id: user } = JSON.parse(text) as { readonly user_id?: unknown };
    return typeof user === "string" ? user : "";
  } catch {
    return "";
  }
}
