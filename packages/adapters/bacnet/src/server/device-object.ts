import type { LibraryValue } from "node-bacnet";
import { deviceType, objectTypeNames, objectTypes } from "../map/object-type.ts";
import { apduOctets } from "../network/apdu.ts";
import type { ServerObject } from "./object.ts";
import type { LocalTime } from "./value.ts";
import { bitsWith, boolean, date, enumerated, objectId, signed, text, timeOfDay, unsigned } from "./value.ts";

/** What the hub says of itself. */
export interface ServerIdentity {
  readonly deviceId: number;
  readonly deviceName: string;
  readonly timeZone: string;
  readonly version: string;
}

/** The number of the vendor: 0 is ASHRAE, and nobody has assigned one to Ledge. */
export const vendorId = 0;
/** BACnetSegmentation: none. */
export const noSegmentation = 3;

/** Properties of the device object by number (ASHRAE 135, 12.11). */
export const deviceProperties = {
  apduTimeout: 11,
  applicationSoftwareVersion: 12,
  daylightSavingsStatus: 24,
  description: 28,
  deviceAddressBinding: 30,
  firmwareRevision: 44,
  localDate: 56,
  localTime: 57,
  maxApduLengthAccepted: 62,
  modelName: 70,
  numberOfApduRetries: 73,
  objectIdentifier: 75,
  objectList: 76,
  objectName: 77,
  objectType: 79,
  protocolObjectTypesSupported: 96,
  protocolServicesSupported: 97,
  protocolVersion: 98,
  segmentationSupported: 107,
  systemStatus: 112,
  utcOffset: 119,
  vendorIdentifier: 120,
  vendorName: 121,
  protocolRevision: 139,
  activeCovSubscriptions: 152,
  databaseRevision: 155,
  propertyList: 371,
} as const;
const properties = deviceProperties;

/** The bits of the services that the hub executes (BACnetServicesSupported). */
export const servicesSupported = {
  subscribeCOV: 5,
  readProperty: 12,
  readPropertyMultiple: 14,
  writeProperty: 15,
  iAm: 26,
  confirmedCOVNotification: 1,
  unconfirmedCOVNotification: 28,
  timeSynchronization: 32,
  whoHas: 33,
  whoIs: 34,
  utcTimeSynchronization: 36,
} as const;

const listed = Object.values(properties);
const unlisted: ReadonlySet<number> = new Set([
  properties.objectIdentifier,
  properties.objectName,
  properties.objectType,
  properties.propertyList,
]);
const optional: ReadonlySet<number> = new Set([properties.description, properties.activeCovSubscriptions]);

export const deviceArrays: ReadonlySet<number> = new Set([properties.objectList, properties.propertyList]);

export function deviceOptional(property: number): boolean {
  return optional.has(property);
}

export const devicePropertyList: readonly number[] = listed;

/** What the device object shows besides the identity. What takes long is made when it is first read. */
export interface DeviceFacts {
  readonly identity: ServerIdentity;
  readonly objectList: () => readonly LibraryValue[];
  /** Grows whenever an object is added, removed or renamed. */
  readonly revision: number;
  readonly subscriptions: () => readonly LibraryValue[];
  readonly local: () => LocalTime;
  readonly timeoutMs: number;
  readonly retries: number;
}

/** Returns the Object_List: the device, then its objects. */
export function objectListOf(deviceId: number, objects: Iterable<ServerObject>): readonly LibraryValue[] {
  const ids = Array.from(objects, ({ type, instance }) => objectId(objectTypes[type].code, instance));
  return [objectId(deviceType, deviceId), ...ids];
}

/** Returns the values of a property of the device object; undefined when it does not have it. */
export function readDevice(facts: DeviceFacts, property: number): readonly LibraryValue[] | undefined {
  const { identity, local } = facts;
  switch (property) {
    case properties.objectIdentifier:
      return [objectId(deviceType, identity.deviceId)];
    case properties.objectName:
      return [text(identity.deviceName)];
    case properties.objectType:
      return [enumerated(deviceType)];
    case properties.description:
      return [text("Ledge hub: its devices as objects")];
    case properties.systemStatus:
    case properties.databaseRevision:
      return property === properties.systemStatus ? [enumerated(0)] : [unsigned(facts.revision)];
    case properties.vendorName:
      return [text("Ledge")];
    case properties.vendorIdentifier:
      return [unsigned(vendorId)];
    case properties.modelName:
      return [text("Ledge hub")];
    case properties.firmwareRevision:
    case properties.applicationSoftwareVersion:
      return [text(identity.version)];
    case properties.protocolVersion:
      return [unsigned(1)];
    case properties.protocolRevision:
      return [unsigned(14)];
    case properties.protocolServicesSupported:
      return [bitsWith(40, Object.values(servicesSupported))];
    case properties.protocolObjectTypesSupported:
      return [bitsWith(55, [deviceType, ...objectTypeNames.map((name) => objectTypes[name].code)])];
    case properties.objectList:
      return facts.objectList();
    case properties.maxApduLengthAccepted:
      return [unsigned(apduOctets)];
    case properties.segmentationSupported:
      return [enumerated(noSegmentation)];
    case properties.apduTimeout:
      return [unsigned(facts.timeoutMs)];
    case properties.numberOfApduRetries:
      return [unsigned(facts.retries)];
    case properties.deviceAddressBinding:
      return [];
    case properties.activeCovSubscriptions:
      return facts.subscriptions();
    case properties.localDate:
      return [date(local())];
    case properties.localTime:
      return [timeOfDay(local())];
    case properties.utcOffset:
      return [signed(local().utcOffset)];
    case properties.daylightSavingsStatus:
      return [boolean(local().isDaylightSaving)];
    case properties.propertyList:
      return listed.filter((each) => !unlisted.has(each)).map(enumerated);
    default:
      return undefined;
  }
}
