import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { NetworkLink } from "../../api/network.ts";
import { titleOf } from "../../parts/link-quality.tsx";
import { isTroubled, type Reach } from "../../parts/routes.ts";
import { route } from "../../route.ts";
import { t } from "../../texts/texts.ts";
import { Drawing } from "./drawing.tsx";
import { type Open, type Routes, Table, Tree } from "./nodes.tsx";

const views = { tree: "network.tree", drawing: "network.drawing", table: "network.table" } as const;
type View = keyof typeof views;

function matches(reach: Reach, text: string): boolean {
  const { node } = reach;
  return `${titleOf(reach)} ${node.manufacturer ?? ""} ${node.model ?? ""} ${node.ieee}`
    .toLowerCase()
    .includes(text);
}

/** The ways through a network as a tree, a drawing and a table, and a sheet for the node that is opened. */
export function RoutesView(props: {
  /** Of the network, among those of the screen. */
  readonly name: string;
  readonly routes: Routes;
  /** All that nodes say about links; null if nothing is known but the ways. */
  readonly links: readonly NetworkLink[] | null;
  readonly sheet: (reach: Reach, close: () => void) => JSX.Element;
}): JSX.Element {
  const { name, routes, links, sheet } = props;
  const view = useSignal<View>("tree");
  const filter = useSignal("");
  const onlyTroubled = useSignal(false);
  const showsAll = useSignal(false);
  // A link may lead to the node of a device.
  const linked = [...routes.values()].find(({ node }) => node.deviceIds.includes(route.peek().id ?? ""));
  const opened = useSignal(linked?.node.ieee);
  const text = filter.value.trim().toLowerCase();
  const shown = [...routes.values()].filter(
    (reach) => matches(reach, text) && (!onlyTroubled.value || isTroubled(reach)),
  );
  const isFiltered = text !== "" || onlyTroubled.value;
  const open: Open = (ieee) => (opened.value = ieee);
  const asked = routes.get(opened.value ?? "");
  return (
    <>
      <fieldset class="segments">
        <legend class="hidden">{t("network.view")}</legend>
        {(Object.keys(views) as View[]).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name={`view-${name}`}
              checked={view.value === one}
              onChange={() => (view.value = one)}
            />
            <span>{t(views[one])}</span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>{t("network.search")}</span>
        <input type="search" value={filter.value} onInput={(e) => (filter.value = e.currentTarget.value)} />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={onlyTroubled.value}
          onChange={(e) => (onlyTroubled.value = e.currentTarget.checked)}
        />
        <span>{t("network.troubled")}</span>
      </label>
      {view.value === "drawing" && links !== null && (
        <label class="check">
          <input
            type="checkbox"
            checked={showsAll.value}
            onChange={(e) => (showsAll.value = e.currentTarget.checked)}
          />
          <span>{t("network.all")}</span>
        </label>
      )}
      {view.value === "drawing" && <Drawing routes={routes} links={links ?? []} showsAll={showsAll.value} />}
      {view.value === "tree" && !isFiltered && <Tree routes={routes} open={open} />}
      {(view.value === "table" || isFiltered) && shown.length > 0 && (
        <Table shown={shown} routes={routes} open={open} />
      )}
      {isFiltered && shown.length === 0 && <p>{t("network.nobody")}</p>}
      {asked && sheet(asked, () => (opened.value = undefined))}
    </>
  );
}
