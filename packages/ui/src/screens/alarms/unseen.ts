import type { Notification } from "../../api/system.ts";

/** Returns how many phones and tablets of each user have not shown a notification, by the user's id. */
export function devicesOf({
  clients,
}: Pick<Notification, "clients">): readonly (readonly [string, number])[] {
  const found = new Map<string, number>();
  for (const { user } of clients) found.set(user, (found.get(user) ?? 0) + 1);
  return [...found];
}
