import {
  BatteryCCGet,
  BatteryCCReport,
  CentralSceneCCSupportedGet,
  DoorLockMode,
  DoorLockOperationType,
  SwitchType,
  ThermostatMode,
  ThermostatSetpointCCSet,
  ThermostatSetpointType,
  WakeUpCCIntervalGet,
  WakeUpCCIntervalSet,
} from "@zwave-js/cc";
import { CommandClass } from "@zwave-js/cc";
import { CommandClasses, SecurityClass } from "@zwave-js/core";
import { Bytes } from "@zwave-js/shared";
import { ccCaps, type MockNodeBehavior, type PartialCCCapabilities } from "@zwave-js/testing";
import type { NodePlan } from "./node-plan.ts";

/** Device classes of Z-Wave (SDS10242). */
const generics = {
  switchBinary: 0x10,
  switchMultilevel: 0x11,
  notification: 0x07,
  wallController: 0x18,
  entryControl: 0x40,
  thermostat: 0x08,
} as const;

/** A command class that needs no more than its version. */
function plain(ccId: CommandClasses, version: number = 1, secure: boolean = false): PartialCCCapabilities {
  return { ccId, version, secure };
}

const basics = [
  plain(CommandClasses.Version, 3),
  plain(CommandClasses["Manufacturer Specific"], 2),
  plain(CommandClasses["Z-Wave Plus Info"], 2),
  plain(CommandClasses.Supervision),
];

/** A socket that is switched on and off and says what it uses. */
export function wallPlug(): NodePlan {
  return {
    capabilities: {
      genericDeviceClass: generics.switchBinary,
      specificDeviceClass: 0x01,
      commandClasses: [
        ...basics,
        ccCaps({ ccId: CommandClasses["Binary Switch"], version: 2, defaultValue: false }),
        ccCaps({
          ccId: CommandClasses.Meter,
          version: 4,
          meterType: 0x01,
          supportedScales: [0, 2],
          supportedRateTypes: [1],
          supportsReset: false,
          getValue: (scale) => (scale === 0 ? 1.5 : 40),
        }),
      ],
    },
    behaviours: [],
  };
}

/** A lamp that can be dimmed. */
export function lamp(): NodePlan {
  return {
    capabilities: {
      genericDeviceClass: generics.switchMultilevel,
      specificDeviceClass: 0x01,
      commandClasses: [
        ...basics,
        ccCaps({
          ccId: CommandClasses["Multilevel Switch"],
          version: 4,
          defaultValue: 0,
          primarySwitchType: SwitchType["Down/Up"],
        }),
      ],
    },
    behaviours: [],
  };
}

/** A motion sensor on a battery, which also measures temperature. It sleeps. */
export function motionSensor(): NodePlan {
  return {
    capabilities: {
      genericDeviceClass: generics.notification,
      specificDeviceClass: 0x01,
      isListening: false,
      commandClasses: [
        ...basics,
        ccCaps({
          ccId: CommandClasses.Notification,
          version: 8,
          supportsV1Alarm: false,
          notificationTypesAndEvents: { 0x07: [0x03, 0x08] },
        }),
        ccCaps({
          ccId: CommandClasses["Multilevel Sensor"],
          version: 11,
          sensors: { 0x01: { supportedScales: [0] } },
          getValue: () => 21.5,
        }),
        plain(CommandClasses.Battery),
        plain(CommandClasses["Wake Up"]),
      ],
    },
    behaviours: [battery(80), wakeUp()],
  };
}

/** A remote control with four buttons. It sleeps. */
export function remote(): NodePlan {
  return {
    capabilities: {
      genericDeviceClass: generics.wallController,
      specificDeviceClass: 0x01,
      isListening: false,
      commandClasses: [
        ...basics,
        plain(CommandClasses["Central Scene"], 3),
        plain(CommandClasses.Battery),
        plain(CommandClasses["Wake Up"]),
      ],
    },
    behaviours: [battery(100), wakeUp(), scenes(4)],
  };
}

/** A lamp with the key of S2 for which nobody enters a PIN. */
export function lampWithS2(): NodePlan {
  const { capabilities, behaviours } = lamp();
  const commandClasses = (capabilities.commandClasses ?? []).map((each) =>
    typeof each === "object" && each.ccId === CommandClasses["Multilevel Switch"]
      ? { ...each, secure: true }
      : each,
  );
  return {
    capabilities: {
      ...capabilities,
      supportsSecurity: true,
      securityClasses: new Set([SecurityClass.S2_Unauthenticated]),
      commandClasses: [
        ...commandClasses,
        plain(CommandClasses["Security 2"]),
        plain(CommandClasses.Supervision),
      ],
    },
    behaviours,
  };
}

/** A lamp that joins by Long Range or by the mesh, with a key for which somebody enters a PIN. */
export function lampWithLongRange(): NodePlan {
  const { capabilities, behaviours } = lampWithS2();
  const { S2_Authenticated, S2_Unauthenticated } = SecurityClass;
  const securityClasses = new Set([S2_Authenticated, S2_Unauthenticated]);
  return { capabilities: { ...capabilities, securityClasses }, behaviours, hasLongRange: true };
}

/** A door lock that takes commands only with S2. */
export function doorLock(): NodePlan {
  const { S2_AccessControl, S2_Authenticated } = SecurityClass;
  return {
    capabilities: {
      genericDeviceClass: generics.entryControl,
      specificDeviceClass: 0x03,
      supportsSecurity: true,
      securityClasses: new Set([S2_AccessControl, S2_Authenticated]),
      commandClasses: [
        ...basics,
        plain(CommandClasses["Security 2"]),
        ccCaps({
          ccId: CommandClasses["Door Lock"],
          version: 4,
          secure: true,
          supportedOperationTypes: [DoorLockOperationType.Constant],
          supportedDoorLockModes: [DoorLockMode.Unsecured, DoorLockMode.Secured],
        }),
        ccCaps({ ccId: CommandClasses["User Code"], version: 1, secure: true, numUsers: 4 }),
        plain(CommandClasses.Battery, 1, true),
      ],
    },
    behaviours: [battery(60)],
  };
}

/** A lamp that joins with S0 alone. */
export function lampWithS0(): NodePlan {
  const { capabilities } = lamp();
  return {
    capabilities: {
      ...capabilities,
      supportsSecurity: true,
      securityClasses: new Set([SecurityClass.S0_Legacy]),
      commandClasses: [...(capabilities.commandClasses ?? []), plain(CommandClasses.Security)],
    },
    behaviours: [],
  };
}

/** A thermostat for heating. */
export function thermostat(): NodePlan {
  return {
    capabilities: {
      genericDeviceClass: generics.thermostat,
      specificDeviceClass: 0x06,
      commandClasses: [
        ...basics,
        ccCaps({
          ccId: CommandClasses["Thermostat Mode"],
          version: 3,
          supportedModes: [ThermostatMode.Off, ThermostatMode.Heat],
        }),
        ccCaps({
          ccId: CommandClasses["Thermostat Setpoint"],
          version: 3,
          setpoints: {
            [ThermostatSetpointType.Heating]: { minValue: 5, maxValue: 30, defaultValue: 20, scale: "°C" },
          },
        }),
        ccCaps({
          ccId: CommandClasses["Multilevel Sensor"],
          version: 11,
          sensors: { 0x01: { supportedScales: [0] } },
          getValue: () => 19.5,
        }),
        ccCaps({
          ccId: CommandClasses.Configuration,
          version: 4,
          parameters: [
            { "#": 1, valueSize: 1, name: "Display", minValue: 0, maxValue: 10, defaultValue: 5 },
            { "#": 2, valueSize: 2, name: "Calibration", minValue: -50, maxValue: 50, defaultValue: 0 },
          ],
        }),
      ],
    },
    behaviours: [setpointWithin(5, 30)],
  };
}

/** A radiator valve on a battery. It sleeps. */
export function radiatorValve(): NodePlan {
  return {
    capabilities: {
      genericDeviceClass: generics.thermostat,
      specificDeviceClass: 0x06,
      isListening: false,
      commandClasses: [
        ...basics,
        ccCaps({
          ccId: CommandClasses["Thermostat Setpoint"],
          version: 3,
          setpoints: {
            [ThermostatSetpointType.Heating]: { minValue: 5, maxValue: 30, defaultValue: 18, scale: "°C" },
          },
        }),
        plain(CommandClasses.Battery),
        plain(CommandClasses["Wake Up"]),
      ],
    },
    behaviours: [battery(90), wakeUp(), setpointWithin(5, 30)],
  };
}

/**
 * Takes a setpoint within its limits and refuses another. The library's own behaviour takes only what is below the
 * minimum.
 */
function setpointWithin(least: number, most: number): MockNodeBehavior {
  return {
    handleCC(_controller, { state }, asked) {
      if (!(asked instanceof ThermostatSetpointCCSet)) return undefined;
      const { setpointType: type, value, scale } = asked;
      if (value < least || value > most) return { action: "fail" };
      state.set(`ThermostatSetpoint_setpoint_${type}`, value);
      state.set(`ThermostatSetpoint_scale_${type}`, scale);
      return { action: "ok" };
    },
  };
}

function battery(level: number): MockNodeBehavior {
  return {
    handleCC({ ownNodeId }, _node, command) {
      if (!(command instanceof BatteryCCGet)) return undefined;
      return { action: "sendCC", cc: new BatteryCCReport({ nodeId: ownNodeId, level }) };
    },
  };
}

/** Commands of Wake Up and Central Scene that the library can read but not write (SDS13783). */
const command = { wakeUpIntervalReport: 0x06, scenesReport: 0x02 } as const;

function wakeUp(): MockNodeBehavior {
  let interval = 3600;
  let to = 1;
  return {
    handleCC({ ownNodeId: nodeId }, _node, asked) {
      if (asked instanceof WakeUpCCIntervalSet) {
        interval = asked.wakeUpInterval;
        to = asked.controllerNodeId;
        return { action: "ok" };
      }
      if (!(asked instanceof WakeUpCCIntervalGet)) return undefined;
      const payload = Bytes.from([interval >> 16, (interval >> 8) & 0xff, interval & 0xff, to]);
      const ccId = CommandClasses["Wake Up"];
      const cc = new CommandClass({ nodeId, ccId, ccCommand: command.wakeUpIntervalReport, payload });
      return { action: "sendCC", cc };
    },
  };
}

/** Buttons that tell one press, a hold, its end, and two presses. */
function scenes(count: number): MockNodeBehavior {
  return {
    handleCC({ ownNodeId: nodeId }, _node, asked) {
      if (!(asked instanceof CentralSceneCCSupportedGet)) return undefined;
      // One byte of attributes, the same for all scenes.
      const payload = Bytes.from([count, 0b11, 0b1111]);
      const ccId = CommandClasses["Central Scene"];
      const cc = new CommandClass({ nodeId, ccId, ccCommand: command.scenesReport, payload });
      return { action: "sendCC", cc };
    },
  };
}
