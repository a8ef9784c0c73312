import { limits, Name, optionalOrNull } from "@ledge/model";
import { AdapterError, checkedSetting, refuseSetting } from "@ledge/port";
import Type from "typebox";
import type { Table } from "./point.ts";
import type { Model } from "./model-file.ts";
import { firstNumber } from "./model-file.ts";
import type { DeviceSettings, ModelledSettings } from "./settings.ts";

/** Tables by their numbers in `registerType`: the codes of the functions that read them. */
const tables = { 1: "coil", 2: "discrete", 3: "holding", 4: "input" } as const;
type RegisterType = keyof typeof tables;

/** Returns a table's number in `registerType`. */
export function registerTypeOf(table: Table): number {
  return Number(Object.entries(tables).find(([, name]) => name === table)?.[0]);
}

const registerTypes: Readonly<Record<DeviceType, readonly RegisterType[]>> = {
  RELAY: [1, 3],
  SIGNAL: [1, 2],
  MULTI_SENSOR: [3, 4],
};
const deviceTypes = ["RELAY", "SIGNAL", "MULTI_SENSOR"] as const;
type DeviceType = (typeof deviceTypes)[number];

/**
 * PAIR_MODBUS of wire-facts 2.1; `port` names the line when there are several, `modelId` the model. A client that knows
 * no models sends back the number that stands for one in `registerType`.
 */
const PairModbus = Type.Object({
  address: Type.Integer({ minimum: 1, maximum: 247 }),
  deviceType: Type.Enum([...deviceTypes]),
  name: Name,
  readDeviceIdSupported: optionalOrNull(Type.Boolean()),
  registerRequired: optionalOrNull(Type.Boolean()),
  register: optionalOrNull(Type.Integer({ minimum: 0, maximum: 0xffff })),
  registerType: optionalOrNull(Type.Integer()),
  normallyOff: optionalOrNull(Type.Boolean()),
  /** Manufacturer and model; empty when unknown. */
  manufacturer: optionalOrNull(Type.String({ maxLength: limits.nameChars })),
  model: optionalOrNull(Type.String({ maxLength: limits.nameChars })),
  port: optionalOrNull(Type.String()),
  modelId: optionalOrNull(Type.String({ maxLength: 64 })),
});

/** A device that a client wants to pair. */
export interface PairCommand {
  /** Where the command is in its list, for errors; empty for a single one. */
  readonly path: string;
  /** The lines on which it may be: the one that the client names, or all. */
  readonly lines: readonly string[];
  readonly device: DeviceSettings;
  /** The device is asked how it names itself. */
  readonly identifies: boolean;
}

/** What commands may name. */
export interface Choices {
  readonly lines: readonly string[];
  readonly models: { get(id: string): Model | undefined; readonly all: readonly Model[] };
  /** Makes the id of a device. */
  readonly id: (index: number) => string;
}

/**
 * Reads PAIR_MODBUS commands, all or none.
 * @throws AdapterError `settings`; the message starts with the wrong field: `address`, or of several commands
 * `[1].address`.
 */
export function readPairCommands(commands: readonly unknown[], choices: Choices): readonly PairCommand[] {
  return commands.map((command, index) =>
    readPairCommand(command, pathOf(index, commands), choices, choices.id(index)),
  );
}

function pathOf(index: number, { length }: readonly unknown[]): string {
  return length === 1 ? "" : `[${index}]`;
}

/** Returns the name of a command's field for errors. */
export const at = (path: string, field: string): string => (path === "" ? field : `${path}.${field}`);

function readPairCommand(command: unknown, path: string, choices: Choices, id: string): PairCommand {
  const read = checkedSetting(PairModbus, command, path);
  const { address, deviceType, name, ...rest } = read;
  const asked = {
    path,
    lines: linesFor(rest.port ?? undefined, choices.lines, path),
    identifies: rest.readDeviceIdSupported === true,
  };
  const known = modelOf(read, choices.models, path);
  if (known !== undefined) return { ...asked, device: modelled(read, known, id, path) };
  const register = rest.register ?? refuseSetting(at(path, "register"), "is missing");
  const allowed = registerTypes[deviceType];
  const registerType = allowed.find((each) => each === rest.registerType);
  if (registerType === undefined) {
    const words = allowed.map((each) => `${each} (${tables[each]})`).join(" or ");
    return refuseSetting(at(path, "registerType"), `must be ${words} for ${deviceType}`);
  }
  if (deviceType === "MULTI_SENSOR" && (rest.normallyOff ?? null) !== null)
    refuseSetting(at(path, "normallyOff"), "applies to RELAY and SIGNAL only");
  const { manufacturer, model } = rest;
  const maker = { ...(manufacturer && { manufacturer }), ...(model && { model }) };
  const common = { id, address, name, ...maker };
  const table = tables[registerType];
  const inverted = rest.normallyOff === false ? { normallyOff: false } : {};
  if (deviceType === "MULTI_SENSOR") {
    // Tenths of a degree, as in most devices.
    const point = { attribute: "temperature", table, register, type: "s16" as const, scale: 0.1 };
    return { ...asked, device: { ...common, deviceType, points: [point] } };
  }
  if (deviceType === "RELAY")
    return {
      ...asked,
      device: { ...common, deviceType, register, registerType: table as "coil" | "holding", ...inverted },
    };
  return {
    ...asked,
    device: { ...common, deviceType, register, registerType: table as "coil" | "discrete", ...inverted },
  };
}

type Read = Type.Static<typeof PairModbus>;

function modelOf(
  { modelId, registerType }: Read,
  models: Choices["models"],
  path: string,
): Model | undefined {
  if (modelId)
    return models.get(modelId) ?? refuseSetting(at(path, "modelId"), `"${modelId}" is no model of this hub`);
  if (!registerType || registerType < firstNumber) return undefined;
  const found = models.all.find(({ number }) => number === registerType);
  return found ?? refuseSetting(at(path, "registerType"), `${registerType} is no model of this hub`);
}

function modelled(
  { address, name, register, manufacturer, model: kind, normallyOff }: Read,
  model: Model,
  id: string,
  path: string,
): ModelledSettings {
  if (normallyOff === false) refuseSetting(at(path, "normallyOff"), "does not apply to models");
  if (model.registerRequired === true && typeof register !== "number")
    refuseSetting(at(path, "register"), "is missing");
  return {
    id,
    address,
    name,
    deviceType: "MODEL",
    modelId: model.id,
    ...(model.registerRequired === true && register && { register }),
    ...(manufacturer && { manufacturer }),
    ...(kind && { model: kind }),
  };
}

function linesFor(name: string | undefined, names: readonly string[], path: string): readonly string[] {
  if (names.length === 0) throw new AdapterError("refused", "the hub has no Modbus line");
  if (name === undefined) return names;
  if (names.includes(name)) return [name];
  return refuseSetting(at(path, "port"), `must be one of ${names.join(", ")}`);
}

/**
 * The answer to GET_MODBUS_PAIRINGS: one command per kind of device, for a client to fill in and send back.
 */
export function pairings(models: readonly Model[]): readonly object[] {
  return [...plainPairings, ...models.map(modelPairing)];
}

function modelPairing({ id, manufacturer, name, number, address, identification, ...model }: Model): object {
  const [first] = model.devices;
  const outputs: Readonly<Record<string, DeviceType>> = { POWER_SOCKET: "RELAY", SIGNAL: "SIGNAL" };
  const deviceType = outputs[first?.class ?? ""] ?? "MULTI_SENSOR";
  return {
    type: "PAIR_MODBUS",
    deviceType,
    name,
    manufacturer,
    address,
    readDeviceIdSupported: identification !== undefined,
    registerRequired: model.registerRequired === true,
    register: 0,
    registerType: number,
    normallyOff: deviceType === "MULTI_SENSOR" ? null : true,
    modelId: id,
  };
}

const plainPairings: readonly object[] = deviceTypes.flatMap((deviceType) =>
  registerTypes[deviceType].map((registerType) => ({
    type: "PAIR_MODBUS",
    deviceType,
    name: `${labels(deviceType)}, ${tables[registerType]}`,
    manufacturer: "Modbus",
    address: 1,
    readDeviceIdSupported: false,
    registerRequired: true,
    register: 0,
    registerType,
    normallyOff: deviceType === "MULTI_SENSOR" ? null : true,
  })),
);

function labels(deviceType: DeviceType): string {
  if (deviceType === "RELAY") return "Relay";
  return deviceType === "SIGNAL" ? "Signal" : "Temperature";
}
