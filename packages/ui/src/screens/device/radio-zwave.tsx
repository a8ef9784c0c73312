import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { pingNode, rebuildRoutes, rebuildStatus, type ZwaveNode } from "../../api/zwave-nodes.ts";
import { numberText } from "../../format.ts";
import { useStatus } from "../../parts/follow-status.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Since } from "../../parts/since.tsx";
import { reasonOf } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { rebuildText, securityOf } from "./radio.ts";

/** Returns what a node is called: as its device, or by its number. */
function nameOfNode(nodes: readonly ZwaveNode[], nodeId: number): string {
  const id = nodes.find((node) => node.nodeId === nodeId)?.deviceId;
  return home.of.devices.of(id ?? "").value?.name ?? t("radio.nodeOf", { nodeId });
}

/** What the hub knows of a node, among the others of its network. */
interface Known {
  readonly node: ZwaveNode;
  readonly nodes: readonly ZwaveNode[];
  /** When that was so (ms of the hub). */
  readonly at: number;
}

function Facts({ node, nodes, at }: Known): JSX.Element {
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

/** Asks a node whether it is there, and says what it answers. */
function Ping({ nodeId, done }: { readonly nodeId: number; readonly done: () => void }): JSX.Element {
  const said = useSignal("");
  const isAsking = useSignal(false);
  const ping = async (): Promise<void> => {
    isAsking.value = true;
    said.value = t("radio.pings");
    const answer = await pingNode(nodeId);
    isAsking.value = false;
    if (!answer.ok) said.value = reasonOf(answer);
    else if (answer.value.status !== 0) said.value = answer.value.reason ?? t("value.unknown");
    else said.value = t(answer.value.isFailed ? "radio.silent" : "radio.answers");
    done();
  };
  return (
    <div class="row">
      <LiveButton isBlocked={isAsking.value} onClick={() => void ping()}>
        {t("radio.ping")}
      </LiveButton>
      <p role="status">{said.value}</p>
    </div>
  );
}

/** Has the network look for the best ways to a node, and says how that goes. */
function Routes({ nodeId }: { readonly nodeId: number }): JSX.Element {
  const { state, rounds, again } = useStatus(rebuildStatus, ({ status }) => status !== "RUNNING");
  const problem = useSignal("");
  const rebuild = async (): Promise<void> => {
    const answer = await rebuildRoutes(nodeId);
    problem.value = answer.ok ? "" : reasonOf(answer);
    if (!answer.ok) return;
    state.value = undefined;
    again();
  };
  const { value: now } = state;
  const isRunning = now?.status === "RUNNING";
  // What was rebuilt before somebody came here is of no interest.
  const isTold = isRunning || rounds > 0;
  return (
    <div class="row">
      <LiveButton isBlocked={isRunning} onClick={() => void rebuild()}>
        {t("radio.rebuild")}
      </LiveButton>
      <p role="status">{now !== undefined && isTold && t(rebuildText(now, nodeId))}</p>
      <p class="problem" role="alert">
        {problem.value}
      </p>
    </div>
  );
}

/** What the Z-Wave network knows of a node, and what helps when it is badly reached. */
export function ZwaveRadio({ again, ...known }: Known & { readonly again: () => void }): JSX.Element {
  const { nodeId, longRange } = known.node;
  return (
    <>
      <Facts {...known} />
      <Ping nodeId={nodeId} done={again} />
      {!longRange && <Routes nodeId={nodeId} />}
    </>
  );
}
