import { ProtocolDataRate, RoutingScheme, TransmitStatus } from "@zwave-js/core";
import {
  SendDataBridgeRequest,
  SendDataBridgeRequestTransmitReport,
  SendDataBridgeResponse,
  SendDataMulticastBridgeRequest,
  SendDataMulticastBridgeRequestTransmitReport,
  SendDataMulticastBridgeResponse,
  SendDataMulticastRequest,
  SendDataMulticastRequestTransmitReport,
  SendDataMulticastResponse,
  SendDataRequest,
  SendDataRequestTransmitReport,
  SendDataResponse,
} from "@zwave-js/serial/serialapi";
import type { MockControllerBehavior } from "@zwave-js/testing";

/** What a stick says of a frame that never was on the air. */
const failed = {
  transmitStatus: TransmitStatus.Fail as const,
  txReport: {
    txTicks: 0,
    txChannelNo: 0,
    routeSchemeState: RoutingScheme.Idle,
    repeaterNodeIds: [] as [],
    beam1000ms: false,
    beam250ms: false,
    routeSpeed: ProtocolDataRate.ZWave_100k,
    routingAttempts: 0,
  },
};

const kinds = [
  [SendDataRequest, SendDataResponse, SendDataRequestTransmitReport],
  [SendDataBridgeRequest, SendDataBridgeResponse, SendDataBridgeRequestTransmitReport],
  [SendDataMulticastRequest, SendDataMulticastResponse, SendDataMulticastRequestTransmitReport],
  [
    SendDataMulticastBridgeRequest,
    SendDataMulticastBridgeResponse,
    SendDataMulticastBridgeRequestTransmitReport,
  ],
] as const;

/** Says of all that the host sends that it could not be sent, as long as the air is jammed. */
export function jamBehaviour(isJammed: () => boolean): MockControllerBehavior {
  return {
    async onHostMessage(controller, message) {
      if (!isJammed()) return false;
      const kind = kinds.find(([Request]) => message instanceof Request);
      if (kind === undefined) return false;
      const [, Response, Report] = kind;
      await controller.sendMessageToHost(new Response({ wasSent: true }));
      const { callbackId } = message as SendDataRequest;
      if (callbackId) await controller.sendMessageToHost(new Report({ callbackId, ...failed }));
      return true;
    },
  };
}
