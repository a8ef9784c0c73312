import { createHash } from "node:crypto";
import { authHomeIdFromDSK, dskToString, isLongRangeNodeId, nwiHomeIdFromDSK } from "@zwave-js/core";
import { FunctionType, Message, MessageType } from "@zwave-js/serial";
import { Bytes } from "@zwave-js/shared";
import type { MockController, MockNode } from "@zwave-js/testing";
import { nodeIdBytes } from "./node-ids.ts";
import { functionAt } from "./serial-frames.ts";
import { supportedClasses } from "./supported-classes.ts";

const dskBytes = 16;
/** Of an update of the application (INS12350, INS14259): a device of SmartStart has announced itself. */
const homeIdReceived = { mesh: 0x85, longRange: 0x87 } as const;
/** Where AddNodeToNetwork by a key has the ids that follow from it (INS13954). */
const controlAt = 4;
const nwiAt = 6;
const dskMode = 8;
const longRangeFlag = 0x20;
/** The protocols of a device in its QR code (SDS13937): a bit each for the mesh and Long Range. */
const bothProtocols = "0803003";

/** What is printed on a device of SmartStart. */
export interface SmartStartLabel {
  /** Its key, with the PIN. */
  readonly dsk: string;
  /** The text of its QR code. */
  readonly qr: string;
}

/** Returns what is printed on a device. @param hasLongRange whether it can join by Long Range, too */
export function labelOf(node: MockNode, hasLongRange: boolean): SmartStartLabel {
  const dsk = dskToString(keyOf(node));
  const keys = [...(node.capabilities.securityClasses ?? [])].reduce<number>(
    (bits, key) => bits | (1 << key),
    0,
  );
  const { genericDeviceClass, specificDeviceClass } = node.capabilities;
  const deviceClass = (genericDeviceClass << 8) | specificDeviceClass;
  const product = [
    "0010",
    digits(deviceClass, 5),
    digits(0, 5),
    "0220",
    ...[1, 2, 3, 4].map((n) => digits(n, 5)),
    ...(hasLongRange ? [bothProtocols] : []),
  ];
  const text = [digits(keys, 3), dsk.replaceAll("-", ""), ...product].join("");
  const checksum = createHash("sha1").update(text).digest().readUInt16BE(0);
  return { dsk, qr: `9001${digits(checksum, 5)}${text}` };
}

/** Tells the host that a device with power seeks its network, by Long Range if its id is one of that. */
export async function announce(controller: MockController, node: MockNode): Promise<void> {
  const { basicDeviceClass, genericDeviceClass, specificDeviceClass } = node.capabilities;
  const classes = supportedClasses(node);
  const update = new Message({
    type: MessageType.Request,
    functionType: FunctionType.ApplicationUpdateRequest,
  });
  update.payload = Bytes.from([
    isLongRangeNodeId(node.id) ? homeIdReceived.longRange : homeIdReceived.mesh,
    ...nodeIdBytes(0, controller),
    0,
    ...nwiHomeIdFromDSK(keyOf(node)),
    classes.length,
    basicDeviceClass,
    genericDeviceClass,
    specificDeviceClass,
    ...classes,
  ]);
  await controller.sendMessageToHost(update);
}

/** Returns whether a frame of the host asks for this device, by the protocol of its id. */
export function asksFor(frame: Uint8Array, node: MockNode): boolean {
  const control = frame[controlAt] ?? 0;
  const isByLongRange = (control & longRangeFlag) !== 0;
  const isByKey =
    frame[functionAt] === FunctionType.AddNodeToNetwork &&
    (control & 0x0f) === dskMode &&
    isByLongRange === isLongRangeNodeId(node.id);
  const ids = Buffer.from([...nwiHomeIdFromDSK(keyOf(node)), ...authHomeIdFromDSK(keyOf(node))]);
  return isByKey && ids.equals(frame.subarray(nwiAt, nwiAt + ids.length));
}

function keyOf({ ecdhKeyPair: { publicKey } }: MockNode): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(publicKey.subarray(0, dskBytes));
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, "0");
}
