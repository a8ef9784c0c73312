import type { JSX } from "preact";
import { t } from "../texts/texts.ts";
import { isWeak, nameOf, type Reach } from "./routes.ts";

/** Returns what the page calls a node. */
export function titleOf({ node, hops }: Reach): string {
  return hops === 0 ? t("network.hub") : nameOf(node);
}

/** How good the link to a node is, in a word and a number. */
export function LinkQuality({ reach }: { readonly reach: Reach }): JSX.Element | null {
  const { node, hops, lqi } = reach;
  if (node.missing) return <span class="bad">{t("network.missing")}</span>;
  if (hops === null) return <span class="bad">{t("network.noWay")}</span>;
  if (lqi === null) return null;
  const text = t(isWeak(reach) ? "network.weak" : "network.lqi", { lqi });
  return <span class={isWeak(reach) ? "bad" : "muted"}>{text}</span>;
}
