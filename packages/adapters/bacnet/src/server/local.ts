import type { AttributeName, Capability, DeviceClass } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";
import type { ObjectType } from "../map/object-type.ts";
import { engineeringUnits as units } from "../map/units.ts";
import type { Exposed } from "./exposed.ts";

/** A kind of device that exists by what BACnet clients write. */
interface LocalType {
  readonly name: string;
  readonly capability: Capability;
  readonly class: DeviceClass;
  readonly attribute: AttributeName;
  readonly objectType: "analogValue" | "binaryValue";
  readonly unit: number;
}

const row = (
  name: string,
  capability: Capability,
  attribute: AttributeName,
  unit: number | undefined,
  deviceClass: DeviceClass = "MULTI_SENSOR",
): LocalType => ({
  name,
  capability,
  class: deviceClass,
  attribute,
  objectType: unit === undefined ? "binaryValue" : "analogValue",
  unit: unit ?? units.noUnits,
});

/** By the ids that clients send with CREATE_BACNET_DEVICE. */
export const localTypes: Readonly<Record<string, LocalType>> = {
  temperature: row("Temperature", "TEMPERATURE", "temperature", units.degreesCelsius),
  humidity: row("Humidity", "HUMIDITY", "humidity", units.percentRelativeHumidity),
  co2: row("CO2", "CO2", "co2Ppm", units.partsPerMillion, "CO2_SENSOR"),
  lux: row("Illuminance", "LUX", "lux", units.luxes),
  power: row("Power", "MEASURE_POWER", "power", units.watts),
  energy: row("Energy", "POWER_METER", "totalPower", units.kilowattHours),
  motion: row("Motion", "MOTION", "motion", undefined, "MOTION"),
  contact: row("Contact", "CONTACT", "open", undefined, "CONTACT"),
  moisture: row("Moisture", "MOISTURE", "moisture", undefined, "MOISTURE"),
  smoke: row("Smoke", "SMOKE", "alert", undefined, "SMOKE_ALARM"),
  signal: row("Signal", "SIGNAL", "isOn", undefined, "SIGNAL"),
};

/** A created device, as it is stored. */
export interface StoredLocal {
  readonly native: string;
  readonly type: string;
  readonly instance: number;
}

/** Returns the native id of the device that an object is. */
export function localNative(type: ObjectType, instance: number): string {
  return `server/${type}/${instance}`;
}

/** Returns BACNET_LOCAL_PAIRING_INFO of each kind. */
export function localPairings(): readonly object[] {
  return Object.entries(localTypes).map(([id, { objectType, name, capability }]) => ({
    type: "BACNET_LOCAL_PAIRING_INFO",
    id,
    objectType,
    name,
    capability,
  }));
}

export function localDescription({ native, instance }: StoredLocal, type: LocalType): DeviceDescription {
  return {
    native,
    radio: "server",
    class: type.class,
    capabilities: ["DEVICE", type.capability],
    name: `BACnet ${type.name.toLowerCase()} ${instance}`,
    manufacturer: "BACnet",
    model: `${type.objectType} ${instance}`,
  };
}

export function localExposed({ attribute, objectType, unit }: LocalType): Exposed {
  const covIncrement = objectType === "analogValue" ? 0.1 : 0;
  return { attribute, type: objectType, unit, scale: 1, states: 0, covIncrement, commandable: true };
}
