import { isKey, t } from "../../texts/texts.ts";

/** Returns a role (hub-api 5.3) in words. */
export function roleText(of: number): string {
  const key = `role.${of}`;
  return isKey(key) ? t(key) : String(of);
}
