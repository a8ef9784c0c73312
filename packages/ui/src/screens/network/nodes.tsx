import type { JSX } from "preact";
import type { NetworkMap } from "../../api/network.ts";
import { Sheet } from "../../parts/sheet.tsx";
import { Since } from "../../parts/since.tsx";
import { hrefOf } from "../../route.ts";
import { home } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { LinkQuality, titleOf } from "../../parts/link-quality.tsx";
import { nameOf, type Reach } from "../../parts/routes.ts";

/** How each node is reached, by its address. */
export type Routes = ReadonlyMap<string, Reach>;
/** Opens the sheet of a node. */
export type Open = (ieee: string) => void;

function NodeButton({ reach, open }: { readonly reach: Reach; readonly open: Open }): JSX.Element {
  return (
    <button type="button" class="button quiet" onClick={() => open(reach.node.ieee)}>
      {titleOf(reach)}
    </button>
  );
}

function Branch(props: { readonly of: Reach; readonly routes: Routes; readonly open: Open }): JSX.Element {
  const { of, routes, open } = props;
  return (
    <li>
      <NodeButton reach={of} open={open} /> <LinkQuality reach={of} />
      {of.children.length > 0 && (
        <ul>
          {of.children.map((ieee) => (
            <Branch key={ieee} of={routes.get(ieee) as Reach} routes={routes} open={open} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The ways to all nodes, as branches of a tree. */
export function Tree({ routes, open }: { readonly routes: Routes; readonly open: Open }): JSX.Element {
  const tops = [...routes.values()].filter(({ parent }) => parent === null);
  return (
    <ul class="network-tree">
      {tops.map((top) => (
        <Branch key={top.node.ieee} of={top} routes={routes} open={open} />
      ))}
    </ul>
  );
}

/** Nodes in rows. */
export function Table(props: {
  readonly shown: readonly Reach[];
  readonly routes: Routes;
  readonly open: Open;
}): JSX.Element {
  const { shown, routes, open } = props;
  return (
    <div class="scroll" role="region" tabIndex={0} aria-label={t("network.table")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("device.name")}</th>
            <th scope="col">{t("network.by")}</th>
            <th scope="col">{t("network.hops")}</th>
            <th scope="col">{t("network.quality")}</th>
            <th scope="col">{t("device.seen")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((reach) => {
            const parent = routes.get(reach.parent ?? "");
            return (
              <tr key={reach.node.ieee}>
                <th scope="row">
                  <NodeButton reach={reach} open={open} />
                </th>
                <td>{parent && titleOf(parent)}</td>
                <td>{reach.hops}</td>
                <td>
                  <LinkQuality reach={reach} />
                </td>
                <td>{reach.node.lastSeen !== null && <Since at={reach.node.lastSeen} />}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Leads to the devices of a node. */
export function DeviceLinks({ node }: Pick<Reach, "node">): JSX.Element {
  return (
    <>
      {node.deviceIds.map((id) => (
        <p key={id}>
          <a class="button" href={hrefOf("device", id)}>
            {t("home.open", { name: home.of.devices.of(id).value?.name ?? nameOf(node) })}
          </a>
        </p>
      ))}
    </>
  );
}

/** A node: what it is, which devices it holds, and whom it hears. */
export function NodeSheet(props: {
  readonly reach: Reach;
  readonly routes: Routes;
  readonly map: NetworkMap;
  readonly close: () => void;
}): JSX.Element {
  const { reach, routes, map, close } = props;
  const { node } = reach;
  const heard = map.links.filter(({ from, to }) => from === node.ieee || to === node.ieee);
  return (
    <Sheet title={titleOf(reach)} close={close}>
      <p>
        {[node.manufacturer, node.model].filter((text) => text !== null).join(" ")}{" "}
        <LinkQuality reach={reach} />
      </p>
      <DeviceLinks node={node} />
      <h3>{t("network.links")}</h3>
      <ul class="plain">
        {heard.map(({ from, to, lqi }) => {
          const other = routes.get(from === node.ieee ? to : from);
          return (
            <li key={`${from} ${to}`}>
              {t(from === node.ieee ? "network.hears" : "network.heardBy", {
                name: other === undefined ? "" : titleOf(other),
                lqi,
              })}
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}
