import type { JSX } from "preact";
import type { NetworkMap } from "../../api/network.ts";
import { routesOf } from "../../parts/routes.ts";
import { Since } from "../../parts/since.tsx";
import { t } from "../../texts/texts.ts";
import { NodeSheet } from "./nodes.tsx";
import { RoutesView } from "./routes-view.tsx";

const title = "Zigbee";

/** The Zigbee network, as its routers have described it. */
export function ZigbeeNetwork({ map }: { readonly map: NetworkMap }): JSX.Element {
  const routes = routesOf(map);
  return (
    <section aria-labelledby="network-zigbee">
      <h2 id="network-zigbee">{title}</h2>
      <p class="muted">
        {t("network.counts", { n: map.nodes.length })} <Since at={map.at} />
        {!map.complete && ` ${t("network.partly")}`}
      </p>
      <RoutesView
        name="zigbee"
        routes={routes}
        links={map.links}
        sheet={(reach, close) => <NodeSheet reach={reach} routes={routes} map={map} close={close} />}
      />
    </section>
  );
}
