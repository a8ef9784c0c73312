import type { AttributeName, Capability } from "@ledge/model";
import type { Failure } from "../../api/call.ts";
import type { BacnetObject } from "../../api/wired.ts";
import type { Key } from "../../texts/texts.ts";

/** A BACnet device that was found, and its objects. */
export interface BacnetDevice {
  /** Its number and address: several devices may have one number. */
  readonly key: string;
  readonly deviceId: number;
  readonly address: string;
  /** Maker and model, as far as it says. */
  readonly made: string;
  readonly objects: readonly BacnetObject[];
}

/** Returns what was found by device, in the order of their numbers. */
export function devicesOf(found: Readonly<Record<string, BacnetObject>>): readonly BacnetDevice[] {
  const devices = new Map<string, BacnetObject[]>();
  for (const object of Object.values(found)) {
    const key = `${object.deviceId} ${object.address}`;
    const objects = devices.get(key);
    if (objects === undefined) devices.set(key, [object]);
    else objects.push(object);
  }
  return [...devices]
    .flatMap(([key, objects]) => {
      const [first] = objects;
      if (first === undefined) return [];
      const { deviceId, address, vendorName, modelName } = first;
      return [{ key, deviceId, address, made: [vendorName, modelName].filter(Boolean).join(" "), objects }];
    })
    .toSorted((a, b) => a.deviceId - b.deviceId || (a.address < b.address ? -1 : 1));
}

/** Attributes by the capability with which an object is a device, where the two have different names. */
const attributes: Readonly<Partial<Record<Capability, AttributeName>>> = {
  BATTERY_C: "battery",
  BLINDS: "liftPct",
  BRIGHTNESS: "brightness",
  CO: "coDetected",
  CO2: "co2Ppm",
  CONTACT: "open",
  CONTROL_TEMPERATURE: "targetTemperature",
  CURRENT: "current",
  FLOW: "flow",
  FLOW_TEMPERATURE: "temperature",
  FLOW_VOLUME: "volume",
  FREQUENCY: "frequency",
  HUMIDITY: "humidity",
  LUX: "lux",
  MEASURE_POWER: "power",
  MOISTURE: "moisture",
  MOTION: "motion",
  PM25: "pm25",
  POWER_METER: "totalPower",
  PRESSURE: "pressure",
  SMOKE: "alert",
  SOIL_MOISTURE: "soilMoisture",
  TEMPERATURE: "temperature",
  TWILIGHT: "twilight",
  VALVE: "openPct",
  VOC: "vocPpm",
  VOLTAGE: "voltage",
};

/** Returns the text of what an object can be; of a capability that is new its own name. */
export function capabilityKey(capability: string): string {
  const attribute = Object.hasOwn(attributes, capability) ? attributes[capability as Capability] : undefined;
  return attribute === undefined ? `bacnetAs.${capability}` : `attribute.${attribute}`;
}

/** Returns in words for people why an object or a search was refused; undefined for what only the hub can word. */
export function refusedBacnet({ status, message, errors: [error] }: Failure): Key | undefined {
  if (status === 404) return "bacnet.noAdapter";
  if (status === 503) return "bacnet.noPort";
  if (status === 504 || message.startsWith("nobody answers")) return "bacnet.silent";
  if (error === undefined) return undefined;
  switch (error.field) {
    case "address":
      return error.message.startsWith("is missing") ? "bacnet.several" : "bacnet.badAddress";
    case "deviceId":
      return "bacnet.badNumber";
    case "objectId":
      return error.message.includes("paired already") ? "bacnet.paired" : "bacnet.gone";
    case "capability":
      return "bacnet.unfit";
    default:
      return undefined;
  }
}
