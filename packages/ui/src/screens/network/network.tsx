import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type NetworkMap, networkMap, networkStatus } from "../../api/network.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { titleOf } from "../../parts/link-quality.tsx";
import { isWeak, nodeOfDevice, type Reach, routesOf } from "../../parts/routes.ts";
import { Since } from "../../parts/since.tsx";
import { route } from "../../route.ts";
import { pastTime } from "../../store/clock.ts";
import { t } from "../../texts/texts.ts";
import { Channels } from "./channels.tsx";
import { Drawing } from "./drawing.tsx";
import { NodeSheet, type Open, Table, Tree } from "./nodes.tsx";
import { ZwaveLeaving } from "./zwave-leaving.tsx";

const views = { tree: "network.tree", drawing: "network.drawing", table: "network.table" } as const;
type View = keyof typeof views;

function matches(reach: Reach, text: string): boolean {
  const { node } = reach;
  return `${titleOf(reach)} ${node.manufacturer ?? ""} ${node.model ?? ""} ${node.ieee}`
    .toLowerCase()
    .includes(text);
}

function Whole({ map }: { readonly map: NetworkMap }): JSX.Element {
  const view = useSignal<View>("tree");
  const filter = useSignal("");
  const onlyTroubled = useSignal(false);
  const showsAll = useSignal(false);
  // A link may lead to the node of a device.
  const opened = useSignal(nodeOfDevice(map, route.peek().id ?? "")?.ieee);
  const routes = routesOf(map);
  const text = filter.value.trim().toLowerCase();
  const isTroubled = (reach: Reach): boolean => reach.node.missing || reach.hops === null || isWeak(reach);
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
        {(Object.keys(views) as View[]).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="view"
              checked={view.value === name}
              onChange={() => (view.value = name)}
            />
            <span>{t(views[name])}</span>
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
      {view.value === "drawing" && (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={showsAll.value}
              onChange={(e) => (showsAll.value = e.currentTarget.checked)}
            />
            <span>{t("network.all")}</span>
          </label>
          <Drawing routes={routes} links={map.links} showsAll={showsAll.value} />
        </>
      )}
      {view.value === "tree" && !isFiltered && <Tree routes={routes} open={open} />}
      {(view.value === "table" || isFiltered) && shown.length > 0 && (
        <Table shown={shown} routes={routes} open={open} />
      )}
      {isFiltered && shown.length === 0 && <p>{t("network.nobody")}</p>}
      {asked && (
        <NodeSheet reach={asked} routes={routes} map={map} close={() => (opened.value = undefined)} />
      )}
    </>
  );
}

const lookMs = 5000;

function Present(): JSX.Element {
  // A radio that is just starting has no network yet, or does not answer.
  const { asked, again } = useAnswer(networkMap, "map", (now) =>
    now.state === "failed" || (now.state === "done" && now.value.nodes.length === 0) ? lookMs : null,
  );
  const { asked: status } = useAnswer(networkStatus, "status");
  const known = status.value.state === "done" ? status.value.value : undefined;
  const problem = known?.problem ?? null;
  return (
    <>
      {problem !== null && (
        <p class="banner" role="alert">
          {problem}
        </p>
      )}
      <ZwaveLeaving />
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(map) =>
          map.nodes.length === 0 ? (
            <Empty title={t("network.none")}>
              <p>{t("network.noneHow")}</p>
            </Empty>
          ) : (
            <>
              <p class="muted">
                {t("network.counts", { n: map.nodes.length })} <Since at={map.at} />
                {!map.complete && ` ${t("network.partly")}`}
              </p>
              <Whole map={map} />
            </>
          )
        }
      />
      <Channels channel={known?.channel ?? null} />
    </>
  );
}

/** The radio network: who is reached by whom, how well, and who is missing. */
export function NetworkScreen(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("network.title")}</h1>
      {pastTime.value === null ? <Present /> : <Empty title={t("network.onlyNow")} />}
    </>
  );
}
