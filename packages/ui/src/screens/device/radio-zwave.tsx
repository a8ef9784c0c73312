import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { pingNode, rebuildRoutes, rebuildStatus } from "../../api/zwave-nodes.ts";
import { useStatus } from "../../parts/follow-status.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { ZwaveFacts, type ZwaveKnown } from "../../parts/zwave-facts.tsx";
import { hrefOf } from "../../route.ts";
import { reasonOf } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";
import { rebuildText } from "./radio.ts";

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
export function ZwaveRadio({ again, ...known }: ZwaveKnown & { readonly again: () => void }): JSX.Element {
  const { nodeId, longRange } = known.node;
  return (
    <>
      <ZwaveFacts {...known} />
      {known.node.deviceId !== null && (
        <p>
          <a class="button" href={hrefOf("network", known.node.deviceId)}>
            {t("radio.inNetwork")}
          </a>
        </p>
      )}
      <Ping nodeId={nodeId} done={again} />
      {!longRange && <Routes nodeId={nodeId} />}
    </>
  );
}
