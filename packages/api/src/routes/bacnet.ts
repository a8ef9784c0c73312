import {
  bacnetId,
  BacnetInstance,
  BacnetSettings,
  type BacnetSettings as Settings,
  defaultBacnetSettings,
  optionalOrNull,
  scanId,
  SetBacnetSettings,
  textOf,
  Word,
} from "@ledge/model";
import Type from "typebox";
import { doneBy, readFirst } from "../adapter-answers.ts";
import { hubOf } from "../call.ts";
import type { HubPorts } from "../ports.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor } from "../submit.ts";

/** hub-api 2.10 shows four of them. */
const objectTypes = [
  "analogInput",
  "analogOutput",
  "analogValue",
  "binaryInput",
  "binaryOutput",
  "binaryValue",
  "multiStateInput",
  "multiStateOutput",
  "multiStateValue",
] as const;
const ObjectType = Type.Union(objectTypes.map((type) => Type.Literal(type)));

const LocalPairingInfo = Type.Object({
  type: Type.Literal("BACNET_LOCAL_PAIRING_INFO"),
  id: Type.String(),
  objectType: Type.String(),
  name: Type.String(),
  capability: Type.String(),
});
const Host = Type.Object({
  type: Type.Literal("BACNET_HOST"),
  identifier: Type.String(),
  objectId: Type.Integer(),
  objectType: Type.String(),
  address: Type.String(),
  deviceId: Type.Integer(),
  objectName: Type.String(),
  vendorName: Type.String(),
  modelName: Type.String(),
  alreadyPaired: Type.Boolean(),
  possibleDevices: Type.Array(Type.String()),
  deviceObjects: Type.Record(Type.String(), Type.Unknown()),
});

const noAdapter = "this hub runs no BACnet adapter";
const Done = Type.Literal(true);

export const bacnet = [
  row({
    method: "GET",
    path: "/bacnet/settings",
    summary: "Settings of the hub's BACnet server",
    access: "USER_ADMIN",
    past: "USER_ADMIN",
    result: BacnetSettings,
    handle: ({ hub }) => settingsOf(hub),
  }),
  row({
    method: "POST",
    path: "/bacnet/settings",
    summary: "Sets the hub's BACnet server up",
    access: "USER_ADMIN",
    body: SetBacnetSettings,
    result: Done,
    handle: (call) => submitFor(call, [call.body], true as const),
  }),
  row({
    method: "POST",
    path: "/bacnet/defaultsettings",
    summary: "Puts the settings back to those that follow from the hub's identity",
    access: "USER_ADMIN",
    result: Done,
    handle: (call) => submitFor(call, [{ type: "RESET_BACNET_SETTINGS" }], true as const),
  }),
  row({
    method: "GET",
    path: "/bacnet/localdevicetypes",
    summary: "Kinds of devices that others can write to over BACnet",
    access: "USER_ADMIN",
    result: Type.Array(LocalPairingInfo),
    handle: (call) => readFirst(call, { type: "GET_BACNET_LOCAL_TYPES" }, []),
  }),
  row({
    method: "GET",
    path: "/bacnet/objecttypes",
    summary: "Names of the types of BACnet objects",
    access: "USER_ADMIN",
    result: Type.Record(Type.String(), Type.String()),
    handle: ({ language }) =>
      Object.fromEntries(objectTypes.map((type) => [type, textOf(`bacnet.${type}`, language)])),
  }),
  row({
    method: "POST",
    path: "/bacnet/device",
    summary: "Makes a device of this hub that others write to over BACnet, while a scan runs",
    access: "USER_ADMIN",
    body: Type.Object({ type: Type.Literal("CREATE_BACNET_DEVICE"), id: Word }),
    result: Done,
    handle(call) {
      const { kernel } = call.hub;
      if (!settingsOf(call.hub).bacnetEnabled) return new Refused(422, "the BACnet server is not enabled");
      if (kernel.get("scan", scanId) === undefined) return new Refused(422, "begin a scan first");
      return doneBy(call, { type: "CREATE_BACNET_DEVICE", id: call.body.id }, noAdapter);
    },
  }),
  row({
    method: "POST",
    path: "/bacnet/scan",
    summary: "Looks for BACnet devices, or at one object of a device",
    access: "USER_ADMIN",
    body: Type.Object({
      type: Type.Literal("SCAN_BACNET_DEVICE"),
      address: optionalOrNull(Word),
      deviceId: optionalOrNull(BacnetInstance),
      objectType: optionalOrNull(ObjectType),
      objectId: optionalOrNull(BacnetInstance),
    }),
    result: Done,
    handle: (call) => doneBy(call, call.body, noAdapter),
  }),
  row({
    method: "GET",
    path: "/bacnet/devices",
    summary: "BACnet devices that were found, by their identifier",
    access: "USER_ADMIN",
    result: Type.Record(Type.String(), Host),
    handle: (call) => readFirst(call, { type: "GET_BACNET_DEVICES" }, {}),
  }),
  row({
    method: "POST",
    path: "/bacnet/pair",
    summary: "Pairs an object of a BACnet device",
    access: "USER_ADMIN",
    body: Type.Object({
      type: Type.Literal("PAIR_BACNET_DEVICE"),
      deviceId: BacnetInstance,
      objectType: ObjectType,
      objectId: BacnetInstance,
      capability: Word,
      /** Tells devices with the same number apart. */
      address: optionalOrNull(Word),
    }),
    result: Done,
    handle: (call) => doneBy(call, call.body, noAdapter),
  }),
];

function settingsOf(ports: HubPorts): Settings {
  const { id, name } = hubOf(ports);
  return ports.kernel.get("bacnet", bacnetId) ?? defaultBacnetSettings(id, name);
}
