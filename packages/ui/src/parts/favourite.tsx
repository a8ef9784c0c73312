import type { JSX } from "preact";
import { pastTime } from "../store/clock.ts";
import { favourites, setFavourite } from "../store/favourites.ts";
import { mayUse } from "../store/roles.ts";
import { t } from "../texts/texts.ts";
import { LiveButton } from "./live-button.tsx";

/** Puts a device among the favourites on Home; absent where the hub keeps none. */
export function Favourite({ id, name }: { readonly id: string; readonly name: string }): JSX.Element | null {
  if (favourites.value === null || !mayUse()) return null;
  const isOne = favourites.value.includes(id);
  return (
    <LiveButton
      class="chip"
      aria-pressed={isOne}
      isBlocked={pastTime.value !== null}
      onClick={() => void setFavourite(id, !isOne, t(isOne ? "favourite.gone" : "favourite.made", { name }))}
    >
      {t("favourite.one")}
    </LiveButton>
  );
}
