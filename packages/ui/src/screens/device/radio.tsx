import type { JSX } from "preact";
import type { Answer } from "../../api/call.ts";
import { networkStatus } from "../../api/network.ts";
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
      readonly node: ZwaveNode;
      readonly nodes: readonly ZwaveNode[];
      /** When that was so (ms of the hub). */
      readonly at: number;
    }
  /** It may be in the Zigbee network, which lists its devices only when its routers are asked. */
  | { readonly of: "zigbee" }
  | { readonly of: "none" };

/** Asks for what is known. The device of a hub with one radio is shown although the other does not answer. */
async function knownOf(id: string, signal: AbortSignal): Promise<Answer<Known>> {
  const nodes = await zwaveNodes(signal);
  const node = nodes.ok ? nodes.value.find(({ deviceId }) => deviceId === id) : undefined;
  if (nodes.ok && node !== undefined)
    return { ok: true, value: { of: "zwave", node, nodes: nodes.value, at: now.peek() } };
  const zigbee = await networkStatus(signal);
  if (zigbee.ok && zigbee.value.has_network) return { ok: true, value: { of: "zigbee" } };
  if (!nodes.ok) return nodes;
  return zigbee.ok ? { ok: true, value: { of: "none" } } : zigbee;
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
      {answer.state === "done" && answer.value.of === "zigbee" && <ZigbeeRadio id={id} />}
      {answer.state === "done" && answer.value.of === "zwave" && (
        <ZwaveRadio {...answer.value} again={again} />
      )}
    </section>
  );
}
