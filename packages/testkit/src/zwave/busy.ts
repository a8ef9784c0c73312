import {
  SendDataBridgeRequest,
  SendDataBridgeResponse,
  SendDataRequest,
  SendDataResponse,
} from "@zwave-js/serial/serialapi";
import type { MockControllerBehavior } from "@zwave-js/testing";

/** What the library's controller throws when it has not done with the last frame. */
const busy = /while not idle$/;

/** A stick that is still busy with a frame says that it has not sent the next; the library's controller throws. */
export function refuseWhileBusy(behaviour: MockControllerBehavior): MockControllerBehavior {
  const { onHostMessage } = behaviour;
  if (onHostMessage === undefined) return behaviour;
  return {
    ...behaviour,
    async onHostMessage(controller, message) {
      try {
        return await onHostMessage.call(behaviour, controller, message);
      } catch (error) {
        if (!busy.test((error as Error).message)) throw error;
        if (message instanceof SendDataBridgeRequest)
          await controller.sendMessageToHost(new SendDataBridgeResponse({ wasSent: false }));
        else if (message instanceof SendDataRequest)
          await controller.sendMessageToHost(new SendDataResponse({ wasSent: false }));
        return true;
      }
    },
  };
}
