import type { Route } from "../../route.ts";
import { home, hub } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";

/** What an alarm or notice is about, for people. */
interface Source {
  readonly name: string;
  /** Where there is more about it; undefined where the reader may see nothing. */
  readonly screen: Pick<Route, "screen" | "id"> | undefined;
}

/** Returns what is known of a source. @param said its name when the alarm was raised */
export function sourceOf(id: string, said: string): Source {
  const device = home.of.devices.of(id).value;
  if (device !== undefined) return { name: device.name, screen: { screen: "device", id } };
  const rule = home.of.rules.of(id).value;
  if (rule !== undefined)
    return {
      name: rule.config.name,
      screen: isAtLeast("IDENTIFIED_USER") ? { screen: "rule", id } : undefined,
    };
  const scene = home.of.scenes.of(id).value;
  if (scene !== undefined)
    return {
      name: scene.name,
      screen: isAtLeast("IDENTIFIED_USER") ? { screen: "scene", id } : undefined,
    };
  const user = home.of.users.of(id).value;
  if (user !== undefined)
    return { name: user.user_info.user.nickname, screen: { screen: "people", id: null } };
  // All else is of the hub: itself, an adapter, a radio.
  const name = id === hub.value?.hubId ? t("alarms.ofHub", { name: said }) : said;
  return { name, screen: isAtLeast("USER_ADMIN") ? { screen: "health", id: null } : undefined };
}
