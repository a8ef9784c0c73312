import type { JSX } from "preact";
import type { Answer } from "../../api/call.ts";
import { networkOfDevice } from "../../api/network.ts";
import { type ZwaveNode, zwaveNodes } from "../../api/zwave-nodes.ts";
import { useAnswer } from "../../parts/answer.ts";
import { Failed, Loading } from "../../parts/faces.tsx";
import { now } from "../../store/clock.ts";
import { t } from "../../texts/texts.ts";
import { ZigbeeRadio } from "./radio-zigbee.tsx";
import { ZwaveRadio } from "./radio-zwave.tsx";

/** What the hub knows of a device's radio without asking the air. */
type Known =
  | {
      readonly of: "zwave";
      /** Undefined while the network does not know it. */
      readonly node: ZwaveNode | undefined;
      readonly nodes: readonly ZwaveNode[];
      /** When that was so (ms of the hub). */
      readonly at: number;
    }
  | { readonly of: "zigbee" }
  | { readonly of: "none" };

async function knownOf(id: string, signal: AbortSignal): Promise<Answer<Known>> {
  const asked = await networkOfDevice(id, signal);
  if (!asked.ok) return asked;
  const { network } = asked.value;
  if (network !== "ZWAVE") return { ok: true, value: { of: network === "ZIGBEE" ? "zigbee" : "none" } };
  const nodes = await zwaveNodes(signal);
  if (!nodes.ok) return nodes;
  const node = nodes.value.find(({ deviceId }) => deviceId === id);
  return { ok: true, value: { of: "zwave", node, nodes: nodes.value, at: now.peek() } };
}

function Reached({
  id,
  known,
  again,
}: {
  readonly id: string;
  readonly known: Known;
  readonly again: () => void;
}): JSX.Element | null {
  if (known.of === "none") return null;
  if (known.of === "zigbee") return <ZigbeeRadio id={id} />;
  const { node, nodes, at } = known;
  if (node === undefined) return <p>{t("radio.notInZwave")}</p>;
  return <ZwaveRadio node={node} nodes={nodes} at={at} again={again} />;
}

/** How a device is reached by radio; nothing for one that is in no network of radios. */
export function Radio({ id }: { readonly id: string }): JSX.Element | null {
  const { asked, again } = useAnswer((signal) => knownOf(id, signal), id);
  const { value: answer } = asked;
  if (answer.state === "loading") return <Loading />;
  if (answer.state === "done" && answer.value.of === "none") return null;
  return (
    <section class="card" aria-labelledby="radio-title">
      <h2 id="radio-title">{t("radio.title")}</h2>
      {answer.state === "failed" && <Failed failure={answer.failure} again={again} />}
      {answer.state === "done" && <Reached id={id} known={answer.value} again={again} />}
    </section>
  );
}
