import { type ReadonlySignal, useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { hrefOf } from "../../route.ts";
import { favourites } from "../../store/favourites.ts";
import { home } from "../../store/home.ts";
import { type Key, t } from "../../texts/texts.ts";
import { type Use, usesOf } from "./uses.ts";

/**
 * Returns what names a device, followed as rules, scenes and groups change: reports of the device do not count it again.
 * @param id stays the same for as long as the view is open
 */
export function useUses(id: string): ReadonlySignal<readonly Use[]> {
  const { rules, scenes, groups } = home.of;
  return useComputed(() => usesOf(id, { rules: rules.list(), scenes: scenes.list(), groups: groups.list() }));
}

const kinds: Readonly<Record<Use["screen"], Key>> = {
  rule: "usedBy.rule",
  scene: "usedBy.scene",
  group: "usedBy.group",
};

/** The rules, scenes and groups that name a device, and whether it is a favourite. */
export function UsedBy({ id }: { readonly id: string }): JSX.Element {
  const { value: uses } = useUses(id);
  const isFavourite = favourites.value?.includes(id) === true;
  return (
    <section class="card" aria-labelledby="used-by-title">
      <h2 id="used-by-title">{t("usedBy.title")}</h2>
      {uses.length === 0 && !isFavourite && <p class="muted">{t("usedBy.nothing")}</p>}
      <ul class="plain">
        {uses.map(({ screen, id: of, name, by }) => (
          <li key={`${screen} ${of}`}>
            {t(kinds[screen])} <a href={hrefOf(screen, of)}>{name}</a>
            {by !== null && <span class="muted"> {t("usedBy.by", { group: by })}</span>}
          </li>
        ))}
        {isFavourite && (
          <li>
            <a href={hrefOf("home")}>{t("favourite.all")}</a>
          </li>
        )}
      </ul>
    </section>
  );
}
