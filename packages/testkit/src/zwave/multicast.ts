import { CommandClass } from "@zwave-js/cc";
import { isLongRangeNodeId, NODE_ID_BROADCAST, NODE_ID_BROADCAST_LR, TransmitStatus } from "@zwave-js/core";
import { Message, MessageType } from "@zwave-js/serial";
import {
  SendDataBridgeRequest,
  SendDataBridgeRequestTransmitReport,
  SendDataBridgeResponse,
  SendDataMulticastBridgeRequest,
  SendDataMulticastBridgeResponse,
  SendDataMulticastRequest,
  SendDataMulticastResponse,
} from "@zwave-js/serial/serialapi";
import { Bytes } from "@zwave-js/shared";
import { createMockZWaveRequestFrame, type MockControllerBehavior } from "@zwave-js/testing";

/**
 * Sends a frame to all of the mesh or of Long Range, which is how the library sends one to many with S2. No node
 * acknowledges it, and one that cannot decrypt it hears nothing: it has to know the group first.
 * @param hears whether a node gets what is sent
 * @param seen called for each frame
 */
export function broadcastBehaviour(hears: (id: number) => boolean, seen: () => void): MockControllerBehavior {
  return {
    async onHostMessage(controller, message) {
      if (!(message instanceof SendDataBridgeRequest)) return false;
      const to = message.getNodeId();
      const isFar = to === NODE_ID_BROADCAST_LR;
      if (to !== NODE_ID_BROADCAST && !isFar) return false;
      seen();
      await controller.sendMessageToHost(new SendDataBridgeResponse({ wasSent: true }));
      const { serializedCC, callbackId } = message;
      if (serializedCC === undefined) throw new Error("a frame without a command");
      for (const [id, node] of controller.nodes) {
        if (!hears(id) || isLongRangeNodeId(id) !== isFar) continue;
        const command = await CommandClass.parse(serializedCC, {
          sourceNodeId: controller.ownNodeId,
          __internalIsMockNode: true,
          ...node.encodingContext,
          ...node.securityManagers,
          frameType: "broadcast",
        }).catch(() => undefined);
        if (command)
          await controller.sendToNode(node, createMockZWaveRequestFrame(command, { ackRequested: false }));
      }
      if (!callbackId) return true;
      const done = { callbackId, transmitStatus: TransmitStatus.OK };
      await controller.sendMessageToHost(new SendDataBridgeRequestTransmitReport(done));
      return true;
    },
  };
}

/**
 * Sends frames to many, which no node acknowledges. The library's controller answers them with an empty report.
 * @param hears whether a node gets what is sent
 * @param seen called with the nodes of each frame
 */
export function multicastBehaviour(
  hears: (id: number) => boolean,
  seen: (ids: readonly number[]) => void,
): MockControllerBehavior {
  return {
    async onHostMessage(controller, message) {
      const isBridge = message instanceof SendDataMulticastBridgeRequest;
      if (!isBridge && !(message instanceof SendDataMulticastRequest)) return false;
      seen([...message.nodeIds]);
      const Response = isBridge ? SendDataMulticastBridgeResponse : SendDataMulticastResponse;
      await controller.sendMessageToHost(new Response({ wasSent: true }));
      const { serializedCC } = message;
      if (serializedCC === undefined) throw new Error("a frame without a command");
      for (const id of message.nodeIds) {
        const node = controller.nodes.get(id);
        if (node === undefined || !hears(id)) continue;
        const command = await CommandClass.parse(serializedCC, {
          sourceNodeId: controller.ownNodeId,
          __internalIsMockNode: true,
          ...node.encodingContext,
          ...node.securityManagers,
          frameType: "multicast",
        });
        await controller.sendToNode(node, createMockZWaveRequestFrame(command, { ackRequested: false }));
      }
      const { callbackId } = message;
      if (!callbackId) return true;
      const report = new Message({ type: MessageType.Request, functionType: message.functionType });
      report.payload = Bytes.from([callbackId, TransmitStatus.OK]);
      await controller.sendMessageToHost(report);
      return true;
    },
  };
}
