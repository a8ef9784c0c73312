import { BacnetInstance, optionalOrNull } from "@ledge/model";
import type { AdapterRequest } from "@ledge/port";
import { checkedSetting, refuseSetting } from "@ledge/port";
import Type from "typebox";
import type { FoundHost, FoundObject, Search } from "./client/directory.ts";
import { possibleDevices } from "./map/map.ts";
import type { ObjectType } from "./map/object-type.ts";
import { objectTypeNames } from "./map/object-type.ts";
import type { StoredPoint } from "./map/point.ts";
import type { Address } from "./network/address.ts";
import { readAddress } from "./network/address.ts";

const ObjectTypeName = Type.Enum([...objectTypeNames]);

const PairBacnetDevice = Type.Object({
  deviceId: BacnetInstance,
  objectType: ObjectTypeName,
  objectId: BacnetInstance,
  capability: Type.String(),
  address: optionalOrNull(Type.String()),
});
const ScanBacnetDevice = Type.Object({
  address: optionalOrNull(Type.String()),
  deviceId: optionalOrNull(BacnetInstance),
  objectType: optionalOrNull(ObjectTypeName),
  objectId: optionalOrNull(BacnetInstance),
});

/** The object that a client wants to pair. */
export interface PairRequest {
  readonly deviceId: number;
  readonly type: ObjectType;
  readonly instance: number;
  readonly capability: string;
  /** Where the device is; it tells devices with the same number apart. */
  readonly address: Address | undefined;
}

/** Reads PAIR_BACNET_DEVICE. @throws AdapterError `settings` */
export function readPair(request: AdapterRequest): PairRequest {
  const { deviceId, objectType, objectId, capability, address } = checkedSetting(
    PairBacnetDevice,
    request,
    "",
  );
  return { deviceId, type: objectType, instance: objectId, capability, address: addressIn(address) };
}

/** Reads SCAN_BACNET_DEVICE. @throws AdapterError `settings` */
export function readScan(request: AdapterRequest): Search {
  const { deviceId, address, objectType, objectId } = checkedSetting(ScanBacnetDevice, request, "");
  const type = objectType ?? undefined;
  const instance = objectId ?? undefined;
  if (type === undefined && instance !== undefined)
    refuseSetting("objectType", "is missing: an object has a type and a number");
  if (type !== undefined && instance === undefined)
    refuseSetting("objectId", "is missing: an object has a type and a number");
  return {
    address: addressIn(address),
    deviceId: deviceId ?? undefined,
    object: type === undefined || instance === undefined ? undefined : { type, instance },
  };
}

function addressIn(text: string | null | undefined): Address | undefined {
  if (text === undefined || text === null) return undefined;
  const address = readAddress(text);
  if (address === undefined)
    refuseSetting("address", "must be an IPv4 address such as 10.0.0.2 or 10.0.0.2:47808");
  return address;
}

/**
 * Returns BACNET_HOST by identifier: an entry for each object that was found. The address is part of the
 * identifier where several devices have one number.
 */
export function hostsOf(
  hosts: readonly FoundHost[],
  paired: readonly StoredPoint[],
): Readonly<Record<string, object>> {
  const entries: Record<string, object> = {};
  for (const host of hosts) {
    const { iAm } = host;
    const isShared = hosts.some((other) => other !== host && other.iAm.deviceId === iAm.deviceId);
    const deviceObjects = Object.fromEntries(
      host.objects.map((object) => [`${object.type} ${object.instance}`, object.name]),
    );
    for (const object of host.objects) {
      const identifier = `${iAm.deviceId} ${object.type} ${object.instance}${isShared ? ` at ${iAm.address}` : ""}`;
      entries[identifier] = {
        type: "BACNET_HOST",
        identifier,
        objectId: object.instance,
        objectType: object.type,
        address: iAm.address,
        deviceId: iAm.deviceId,
        objectName: object.name,
        vendorName: host.vendorName,
        modelName: host.modelName,
        alreadyPaired: paired.some((point) => isOf(point, host, object)),
        possibleDevices: possibleDevices(object),
        // Once for a device: a client sees it with each of its objects.
        deviceObjects: object === host.objects[0] ? deviceObjects : {},
      };
    }
  }
  return entries;
}

/** Returns whether a paired object is one of a device that was found. */
export function isOf(point: StoredPoint, { iAm }: FoundHost, { type, instance }: FoundObject): boolean {
  if (point.deviceId !== iAm.deviceId || point.type !== type || point.instance !== instance) return false;
  return (point.address ?? iAm.address) === iAm.address;
}
