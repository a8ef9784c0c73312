import {
  BatteryCCReport,
  CommandClass,
  MultilevelSensorCCReport,
  NotificationCCReport,
  WakeUpCCWakeUpNotification,
} from "@zwave-js/cc";
import { CommandClasses } from "@zwave-js/core";
import { Bytes } from "@zwave-js/shared";

/** The id of the stick in its own network: what nodes report to. */
const nodeId = 1;

const homeSecurity = { type: 0x07, motion: 0x08, idle: 0x00 } as const;
const centralSceneNotification = 0x03;

/** Returns a command with any payload, also one that no device would send. */
export function rawCommand(ccId: number, ccCommand: number, payload: Uint8Array): CommandClass {
  return new CommandClass({ nodeId, ccId, ccCommand, payload: Bytes.from(payload) });
}

/** What a node of the home says, as a frame of its command class. */
export const reports = {
  motion(isMoving: boolean): CommandClass {
    const { type: notificationType, motion, idle } = homeSecurity;
    if (isMoving) return new NotificationCCReport({ nodeId, notificationType, notificationEvent: motion });
    // The end of a state names the state.
    const eventParameters = Uint8Array.of(motion);
    return new NotificationCCReport({ nodeId, notificationType, notificationEvent: idle, eventParameters });
  },
  /** An air temperature in °C. */
  temperature: (value: number): CommandClass =>
    new MultilevelSensorCCReport({ nodeId, type: 1, scale: 0, value }),
  /** A charge in percent. */
  battery: (level: number): CommandClass => new BatteryCCReport({ nodeId, level }),
  batteryLow: (): CommandClass => new BatteryCCReport({ nodeId, level: "low" }),
  /** A press of a button: 0 once, 1 released, 2 held, 3 twice. */
  press(scene: number, keyAttribute: number, sequenceNumber: number): CommandClass {
    const payload = Bytes.from([sequenceNumber, 0x80 | keyAttribute, scene]);
    const ccId = CommandClasses["Central Scene"];
    return new CommandClass({ nodeId, ccId, ccCommand: centralSceneNotification, payload });
  },
  wakeUp: (): CommandClass => new WakeUpCCWakeUpNotification({ nodeId }),
} as const;
