import type { JSX } from "preact";
import type { ZwaveNode } from "../../api/zwave-nodes.ts";
import { titleOf } from "../../parts/link-quality.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { Since } from "../../parts/since.tsx";
import { nameOfNode, ZwaveFacts } from "../../parts/zwave-facts.tsx";
import { zwaveRoutesOf } from "../../parts/zwave-routes.ts";
import { t } from "../../texts/texts.ts";
import { DeviceLinks } from "./nodes.tsx";
import { RoutesView } from "./routes-view.tsx";

const title = "Z-Wave";

/** The Z-Wave network, as the stick and its driver know it. */
export function ZwaveNetwork(props: {
  readonly nodes: readonly ZwaveNode[];
  /** When they were so (ms of the hub). */
  readonly at: number;
}): JSX.Element {
  const { nodes, at } = props;
  const routes = zwaveRoutesOf(nodes, at, ({ nodeId }) => nameOfNode(nodes, nodeId));
  return (
    <section aria-labelledby="network-zwave">
      <h2 id="network-zwave">{title}</h2>
      <p class="muted">
        {t("network.counts", { n: nodes.length })} <Since at={at} />
      </p>
      <RoutesView
        name="zwave"
        routes={routes}
        links={null}
        sheet={(reach, close) => {
          const node = nodes.find(({ nodeId }) => String(nodeId) === reach.node.ieee);
          return (
            <Sheet title={titleOf(reach)} close={close}>
              {node === undefined ? (
                <p>{t("network.zwaveHub")}</p>
              ) : (
                <ZwaveFacts node={node} nodes={nodes} at={at} />
              )}
              <DeviceLinks node={reach.node} />
            </Sheet>
          );
        }}
      />
    </section>
  );
}
