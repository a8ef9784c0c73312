import type { JSX } from "preact";
import { numberText } from "../format.ts";
import { t } from "../texts/texts.ts";
import { isWeak, nameOf, type Reach } from "./routes.ts";

/** Returns what the page calls a node. */
export function titleOf({ node, hops }: Reach): string {
  return hops === 0 ? t("network.hub") : nameOf(node);
}

/** How good the link to a node is, in a word and a number. */
export function LinkQuality({ reach }: { readonly reach: Reach }): JSX.Element | null {
  const { node, hops, lqi, rssi, isAsked } = reach;
  if (node.missing) return <span class="bad">{t("network.missing")}</span>;
  if (!isAsked) return <span class="muted">{t("network.notAsked")}</span>;
  if (hops === null) return <span class="bad">{t("network.noWay")}</span>;
  const isBad = isWeak(reach);
  const signal = rssi === null ? null : numberText(rssi, "dBm");
  const quality = lqi === null ? signal : t("network.lqi", { lqi });
  if (quality === null) return null;
  return <span class={isBad ? "bad" : "muted"}>{isBad ? t("network.weak", { quality }) : quality}</span>;
}
