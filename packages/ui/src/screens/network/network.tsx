import type { JSX } from "preact";
import type { Answer } from "../../api/call.ts";
import { networkMap, networkStatus } from "../../api/network.ts";
import { type ZwaveNode, zwaveNodes } from "../../api/zwave-nodes.ts";
import { type Asked, useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { now, pastTime } from "../../store/clock.ts";
import { t } from "../../texts/texts.ts";
import { Channels } from "./channels.tsx";
import { ZigbeeNetwork } from "./zigbee.tsx";
import { ZwaveLeaving } from "./zwave-leaving.tsx";
import { ZwaveNetwork } from "./zwave.tsx";

/** A radio that is just starting has no network yet, or does not answer. */
const startMs = 5000;
/** Z-Wave nodes are asked nothing for the answer. */
const zwaveMs = 10_000;

interface ZwaveNodes {
  readonly nodes: readonly ZwaveNode[];
  /** When they were so (ms of the hub). */
  readonly at: number;
}

async function zwaveNow(signal: AbortSignal): Promise<Answer<ZwaveNodes>> {
  const answer = await zwaveNodes(signal);
  return answer.ok ? { ok: true, value: { nodes: answer.value, at: now.peek() } } : answer;
}

function hasNone({ state, ...asked }: Asked<{ readonly nodes: readonly unknown[] }>): boolean {
  return state === "done" && "value" in asked && asked.value.nodes.length === 0;
}

function Present(): JSX.Element {
  const zigbee = useAnswer(networkMap, "map", (asked) =>
    asked.state === "failed" || hasNone(asked) ? startMs : null,
  );
  const zwave = useAnswer(zwaveNow, "zwave", () => zwaveMs);
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
      {hasNone(zigbee.asked.value) && hasNone(zwave.asked.value) && (
        <Empty title={t("network.none")}>
          <p>{t("network.noneHow")}</p>
        </Empty>
      )}
      <AnswerFace
        answer={zigbee.asked.value}
        again={zigbee.again}
        show={(map) => map.nodes.length > 0 && <ZigbeeNetwork map={map} />}
      />
      <AnswerFace
        answer={zwave.asked.value}
        again={zwave.again}
        show={({ nodes, at }) => nodes.length > 0 && <ZwaveNetwork nodes={nodes} at={at} />}
      />
      <Channels channel={known?.channel ?? null} />
    </>
  );
}

/** The radio networks: who is reached by whom, how well, and who is missing. */
export function NetworkScreen(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("network.title")}</h1>
      {pastTime.value === null ? <Present /> : <Empty title={t("network.onlyNow")} />}
    </>
  );
}
