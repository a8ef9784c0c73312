import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Answer } from "../../api/call.ts";
import { networkMap, type NetworkMap } from "../../api/network.ts";
import { patient } from "../../parts/answer.ts";
import { Loading } from "../../parts/faces.tsx";
import { LinkQuality, titleOf } from "../../parts/link-quality.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import type { Reach } from "../../parts/routes.ts";
import { Since } from "../../parts/since.tsx";
import { hrefOf } from "../../route.ts";
import { reasonOf } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";
import { type ZigbeeWay, zigbeeWayOf } from "./radio.ts";

/** A node, as a link to its device where it is one. */
function NodeLink({ reach }: { readonly reach: Reach }): JSX.Element {
  const [id] = reach.node.deviceIds;
  return id === undefined ? <>{titleOf(reach)}</> : <a href={hrefOf("device", id)}>{titleOf(reach)}</a>;
}

function Facts({ way }: { readonly way: ZigbeeWay }): JSX.Element {
  const { reach, parent, address } = way;
  const { node, hops, children } = reach;
  return (
    <dl class="facts">
      <dt>{t("network.by")}</dt>
      <dd>{parent === undefined ? t("value.unknown") : <NodeLink reach={parent} />}</dd>
      {hops !== null && (
        <>
          <dt>{t("network.hops")}</dt>
          <dd>{hops}</dd>
        </>
      )}
      <dt>{t("network.quality")}</dt>
      <dd>
        <LinkQuality reach={reach} />
      </dd>
      {node.lastSeen !== null && (
        <>
          <dt>{t("device.seen")}</dt>
          <dd>
            <Since at={node.lastSeen} />
          </dd>
        </>
      )}
      <dt>{t("radio.relays")}</dt>
      <dd>{node.type === "Router" ? t("radio.relaysNow", { n: children.length }) : t("value.no")}</dd>
      <dt>{t("radio.address")}</dt>
      <dd>{address}</dd>
    </dl>
  );
}

function Answered({
  map,
  way,
}: {
  readonly map: NetworkMap;
  readonly way: ZigbeeWay | undefined;
}): JSX.Element {
  return (
    <>
      {way === undefined ? <p>{t("radio.notInZigbee")}</p> : <Facts way={way} />}
      <p class="muted">
        {t("radio.asked")} <Since at={map.at} />
        {!map.complete && ` ${t("network.partly")}`}
      </p>
    </>
  );
}

/**
 * How the Zigbee network reaches a device. Every router is asked for that, which a large network feels: that happens only
 * when somebody wants to know.
 */
export function ZigbeeRadio({ id }: { readonly id: string }): JSX.Element {
  const answer = useSignal<Answer<NetworkMap> | undefined>(undefined);
  const isAsking = useSignal(false);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const ask = async (): Promise<void> => {
    isAsking.value = true;
    answer.value = await patient(networkMap, left.current.signal);
    isAsking.value = false;
  };
  const { value: now } = answer;
  const map = now?.ok === true ? now.value : undefined;
  const way = map && zigbeeWayOf(map, id);
  return (
    <>
      {now === undefined && !isAsking.value && <p>{t("radio.askHow")}</p>}
      {map && <Answered map={map} way={way} />}
      {isAsking.value && <Loading />}
      <Problem>{now?.ok === false && !isAsking.value && reasonOf(now)}</Problem>
      <div class="row">
        {way && (
          <a class="button" href={hrefOf("network", id)}>
            {t("radio.inNetwork")}
          </a>
        )}
        <LiveButton isBlocked={isAsking.value} onClick={() => void ask()}>
          {t(now === undefined ? "radio.ask" : "radio.askAgain")}
        </LiveButton>
      </div>
    </>
  );
}
