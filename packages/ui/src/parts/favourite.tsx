import type { JSX } from "preact";
import { pastTime } from "../store/clock.ts";
import { favourites, setFavourite } from "../store/favourites.ts";
import { sync } from "../store/home.ts";
import { t } from "../texts/texts.ts";

/** Puts a device among the favourites on Home; absent where the hub keeps none. */
export function Favourite({ id, name }: { readonly id: string; readonly name: string }): JSX.Element | null {
  if (favourites.value === null) return null;
  const isOne = favourites.value.includes(id);
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isOne}
      disabled={pastTime.value !== null || sync.connection.value !== "live"}
      onClick={() => void setFavourite(id, !isOne, t(isOne ? "favourite.gone" : "favourite.made", { name }))}
    >
      {t("favourite.one")}
    </button>
  );
}
