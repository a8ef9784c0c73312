import type { JSX } from "preact";
import type { ZwaveNode } from "../api/zwave-nodes.ts";
import { numberText } from "../format.ts";
import { home } from "../store/home.ts";
import { t } from "../texts/texts.ts";
import { Since } from "./since.tsx";
import { securityOf } from "./zwave-routes.ts";

/** Returns what a node is called: as its device, or by its number. */
export function nameOfNode(nodes: readonly ZwaveNode[], nodeId: number): string {
  const id = nodes.find((node) => node.nodeId === nodeId)?.deviceId;
  return home.of.devices.of(id ?? "").value?.name ?? t("radio.nodeOf", { nodeId });
}

/** What the hub knows of a node, among the others of its network. */
export interface ZwaveKnown {
  readonly node: ZwaveNode;
  readonly nodes: readonly ZwaveNode[];
  /** When that was so (ms of the hub). */
  readonly at: number;
}

/** What the Z-Wave network knows of a node. */
export function ZwaveFacts({ node, nodes, at }: ZwaveKnown): JSX.Element {
  const { nodeId, ageMs, longRange, listening, specificClassName, genericClassName, statistics } = node;
  const { commandsTX, commandsDroppedTX, timeoutResponse, rtt, rssi, repeaters } = statistics;
  const kind = specificClassName ?? genericClassName;
  const facts: readonly (readonly [name: string, value: JSX.Element | string | null])[] = [
    [t("network.title"), longRange ? "Z-Wave Long Range" : "Z-Wave"],
    [t("radio.address"), t("radio.nodeOf", { nodeId })],
    [t("radio.kind"), kind],
    [t("radio.security"), securityOf(node) ?? t("radio.unsecured")],
    [t("radio.listens"), t(listening ? "radio.always" : "radio.atTimes")],
    [t("device.seen"), ageMs === null ? null : <Since at={at - ageMs} />],
    [
      t("radio.repeaters"),
      repeaters.length === 0 ? null : repeaters.map((of) => nameOfNode(nodes, of)).join(", "),
    ],
    [t("attribute.rssi"), rssi === null ? null : numberText(rssi, "dBm")],
    [t("radio.roundTrip"), rtt === null ? null : numberText(rtt, "ms")],
    [t("radio.sent"), t("radio.sentOf", { n: commandsTX, lost: commandsDroppedTX, late: timeoutResponse })],
  ];
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}
