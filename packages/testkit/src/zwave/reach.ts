import { setTimeout as sleep } from "node:timers/promises";
import { TransmitStatus } from "@zwave-js/core";
import { FunctionType, Message, MessageType } from "@zwave-js/serial";
import {
  ApplicationUpdateRequestNodeInfoRequestFailed,
  IsFailedNodeRequest,
  RemoveFailedNodeRequest,
  RemoveFailedNodeStatus,
  RequestNodeInfoRequest,
  RequestNodeInfoResponse,
  SendDataBridgeRequest,
  SendDataBridgeRequestTransmitReport,
  SendDataBridgeResponse,
  SendDataRequest,
  SendDataRequestTransmitReport,
  SendDataResponse,
} from "@zwave-js/serial/serialapi";
import { Bytes } from "@zwave-js/shared";
import type { MockController, MockControllerBehavior } from "@zwave-js/testing";
import { nodeIdIn } from "./node-ids.ts";

/** Of ZW_RemoveFailedNode: the node is not in the list of failed nodes (INS12350). */
const notFound = 0x08;

/** What the stick does about nodes that are silent. */
interface Silence {
  /** Whether a node answers nothing. */
  readonly isSilent: (id: number) => boolean;
  /** Removes a node from the stick's network. */
  readonly forget: (id: number) => void;
  /** How long the stick tries to reach a node that is silent. */
  readonly triesMs: () => number;
  /** Whether the stick removes failed nodes when it is told to. */
  readonly removes: () => boolean;
}

/** Answers for nodes that do not: frames to them are not acknowledged, and the stick counts them as failed. */
export function reachBehaviour(silence: Silence): MockControllerBehavior {
  const { isSilent, triesMs } = silence;
  return {
    async onHostMessage(controller, message) {
      if (message instanceof IsFailedNodeRequest) {
        const isFailed = isSilent(nodeIdIn(message.payload, controller));
        await answer(controller, FunctionType.IsFailedNode, [isFailed ? 1 : 0]);
        return true;
      }
      if (message instanceof RemoveFailedNodeRequest) {
        await removeFailed(controller, message, silence);
        return true;
      }
      const id = message.getNodeId();
      if (id === undefined || !isSilent(id)) return false;
      if (message instanceof SendDataRequest || message instanceof SendDataBridgeRequest) {
        await leaveUnanswered(controller, message, triesMs());
        return true;
      }
      if (message instanceof RequestNodeInfoRequest) {
        await controller.sendMessageToHost(new RequestNodeInfoResponse({ wasSent: true }));
        await controller.sendMessageToHost(new ApplicationUpdateRequestNodeInfoRequestFailed());
        return true;
      }
      return false;
    },
  };
}

async function leaveUnanswered(
  controller: MockController,
  message: SendDataRequest | SendDataBridgeRequest,
  triesMs: number,
): Promise<void> {
  const isBridge = message instanceof SendDataBridgeRequest;
  const Response = isBridge ? SendDataBridgeResponse : SendDataResponse;
  const Report = isBridge ? SendDataBridgeRequestTransmitReport : SendDataRequestTransmitReport;
  await controller.sendMessageToHost(new Response({ wasSent: true }));
  const { callbackId } = message;
  if (!callbackId) return;
  if (triesMs > 0) await sleep(triesMs);
  await controller.sendMessageToHost(new Report({ callbackId, transmitStatus: TransmitStatus.NoAck }));
}

async function removeFailed(
  controller: MockController,
  { failedNodeId, callbackId = 0 }: RemoveFailedNodeRequest,
  { isSilent, forget, removes }: Silence,
): Promise<void> {
  if (!isSilent(failedNodeId)) {
    await answer(controller, FunctionType.RemoveFailedNode, [notFound]);
    return;
  }
  await answer(controller, FunctionType.RemoveFailedNode, [0]);
  const { NodeRemoved, NodeNotRemoved } = RemoveFailedNodeStatus;
  if (removes()) forget(failedNodeId);
  const report = new Message({ type: MessageType.Request, functionType: FunctionType.RemoveFailedNode });
  report.payload = Bytes.from([callbackId, removes() ? NodeRemoved : NodeNotRemoved]);
  await controller.sendMessageToHost(report);
}

/** Sends a response that the library can read but not write. */
async function answer(
  controller: MockController,
  functionType: FunctionType,
  payload: readonly number[],
): Promise<void> {
  const response = new Message({ type: MessageType.Response, functionType });
  response.payload = Bytes.from(payload);
  await controller.sendMessageToHost(response);
}
