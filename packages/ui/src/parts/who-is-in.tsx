import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { home } from "../store/home.ts";
import { t } from "../texts/texts.ts";
import { namesAtHome } from "./presence.ts";
import { nameOfUser } from "./user-options.tsx";

/** Who is at home, as far as people let their browsers and phones say so; nothing where nobody does. */
export function WhoIsIn(): JSX.Element | null {
  const ids = home.browsers;
  // Of all that these report only this is shown.
  const text = useComputed(() => {
    const devices = ids.value.flatMap((id) => home.of.devices.of(id).value ?? []);
    const names = namesAtHome(devices, nameOfUser);
    return names.length === 0 ? t("home.nobody") : t("home.in", { names: names.join(", ") });
  });
  return ids.value.length === 0 ? null : <p class="muted">{text}</p>;
}
