// Rows by which devices on wires come into the home: Modbus, BACnet and M-Bus.
import { type Answer, call, unanswered } from "./call.ts";
import { protocol } from "./protocol.ts";

/** PAIR_MODBUS as GET_MODBUS_PAIRINGS lists it: a kind of device, to be filled in and sent back. */
export interface ModbusKind {
  readonly type: "PAIR_MODBUS";
  readonly deviceType: string;
  readonly name: string;
  readonly manufacturer: string;
  readonly address: number;
  readonly readDeviceIdSupported: boolean;
  readonly registerRequired: boolean;
  readonly register: number;
  readonly registerType: number;
  /** Null for what has no such thing. */
  readonly normallyOff: boolean | null;
  /** Of a kind whose registers the hub knows. */
  readonly modelId?: string;
}

/** The kinds of Modbus devices that the hub pairs; none without such an adapter. */
export function modbusKinds(signal: AbortSignal): Promise<Answer<readonly ModbusKind[]>> {
  return protocol("GET_MODBUS_PAIRINGS", {}, signal);
}

/** A serial port or server where Modbus devices are. */
export interface ModbusLine {
  readonly port: string;
  readonly connected: boolean;
}

export function modbusLines(signal: AbortSignal): Promise<Answer<readonly ModbusLine[]>> {
  return protocol("GET_MODBUS_STATISTICS", {}, signal);
}

/** How long the hub asks several lines for a device (ms). */
const askedForMs = 60_000;

/** Pairs a Modbus device when it has answered. Anything but true is a failure (wire-facts 2.1). */
export async function pairModbus(command: object): Promise<Answer<true>> {
  const request = { method: "POST", body: [command], timeoutMs: askedForMs } as const;
  const answer = await call<true | { readonly message?: string }>("/hub/protocolconfig", request);
  if (!answer.ok) return answer;
  return answer.value === true ? { ok: true, value: true } : unanswered(422, answer.value.message);
}

/** BACNET_HOST: an object of a BACnet device. */
export interface BacnetObject {
  readonly identifier: string;
  readonly objectId: number;
  readonly objectType: string;
  readonly objectName: string;
  readonly address: string;
  readonly deviceId: number;
  readonly vendorName: string;
  readonly modelName: string;
  readonly alreadyPaired: boolean;
  /** The capabilities that it can have as a device. */
  readonly possibleDevices: readonly string[];
}

/** Looks for BACnet devices; with an address or a number for one. */
export function findBacnet(only: { address?: string; deviceId?: number }): Promise<Answer<true>> {
  return call("/bacnet/scan", { method: "POST", body: { type: "SCAN_BACNET_DEVICE", ...only } });
}

/** What was found so far, by identifier. */
export function foundBacnet(signal: AbortSignal): Promise<Answer<Readonly<Record<string, BacnetObject>>>> {
  return call("/bacnet/devices", { signal });
}

/** Names of the types of objects in the reader's language. */
export function bacnetTypes(signal: AbortSignal): Promise<Answer<Readonly<Record<string, string>>>> {
  return call("/bacnet/objecttypes", { signal });
}

/** Makes an object a device of the home. */
export function pairBacnet(of: BacnetObject, capability: string): Promise<Answer<true>> {
  const { deviceId, objectType, objectId, address } = of;
  const body = { type: "PAIR_BACNET_DEVICE", deviceId, objectType, objectId, capability, address };
  return call("/bacnet/pair", { method: "POST", body, timeoutMs: askedForMs });
}

export interface SerialSettings {
  readonly baudrate: number;
  readonly databits: number;
  readonly stopbits: number;
  readonly parity: string;
}

/** SERIAL_CONFIG: a serial port of a bus, and what it may be set to. */
export interface SerialLine {
  readonly type: "SERIAL_CONFIG";
  readonly controllerType: "MODBUS_CONTROLLER" | "SERIAL_MBUS_CONTROLLER";
  readonly name: string;
  readonly allowedBaurates: readonly number[];
  readonly allowedDatabits: readonly number[];
  readonly allowedStopbits: readonly number[];
  readonly allowedParities: readonly string[];
  readonly settings: SerialSettings;
}

export function serialLines(signal: AbortSignal): Promise<Answer<readonly SerialLine[]>> {
  return call("/hub/serialports", { signal });
}

/** Sets a serial port up; the hub opens it anew. */
export function setSerialLine(line: SerialLine, settings: SerialSettings): Promise<Answer<true>> {
  const { type, controllerType, name } = line;
  return call("/hub/serialport", { method: "POST", body: { type, controllerType, name, settings } });
}
