import { WakeUpCCNoMoreInformation } from "@zwave-js/cc";
import type { MockNodeBehavior } from "@zwave-js/testing";

/** Sends a node to sleep when the host has nothing more to say. */
export function sleepBehaviour(sleeps: () => void): MockNodeBehavior {
  return {
    handleCC(_controller, _node, command) {
      if (!(command instanceof WakeUpCCNoMoreInformation)) return undefined;
      sleeps();
      return { action: "stop" };
    },
  };
}
