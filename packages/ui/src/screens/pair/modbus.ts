import type { Failure } from "../../api/call.ts";
import type { ModbusKind } from "../../api/wired.ts";
import type { Key } from "../../texts/texts.ts";

/** What somebody fills in for a Modbus device. Numbers are as they were typed. */
export interface ModbusDraft {
  readonly name: string;
  /** The line; empty: the one where it answers. */
  readonly port: string;
  readonly address: string;
  readonly register: string;
  /** It is on while its register is 0. */
  readonly isInverted: boolean;
  readonly isAsked: boolean;
}

export type ModbusField = "name" | "port" | "address" | "register" | "readDeviceIdSupported";

/** What is wrong with a field, or with all of it. */
export interface Said {
  readonly field: ModbusField | "";
  readonly key: Key;
  readonly params?: Readonly<Record<string, string>>;
}

export const addresses = { min: 1, max: 247 } as const;
export const registers = { min: 0, max: 0xffff } as const;

/** Returns what a form of a kind begins with. */
export function draftOf(kind: ModbusKind, name: string): ModbusDraft {
  const { address, register, readDeviceIdSupported } = kind;
  const numbers = { address: String(address), register: String(register) };
  return { name, port: "", ...numbers, isInverted: false, isAsked: readDeviceIdSupported };
}

/** Whether such a device can be on while its register is 0: the registers of a model say that themselves. */
export function canInvert({ normallyOff, modelId }: ModbusKind): boolean {
  return normallyOff !== null && modelId === undefined;
}

function isWithin(text: string, { min, max }: { readonly min: number; readonly max: number }): boolean {
  const value = Number(text);
  return text.trim() !== "" && Number.isInteger(value) && value >= min && value <= max;
}

/** Returns what is wrong with what was typed. */
export function flawsOf({ registerRequired }: ModbusKind, draft: ModbusDraft): readonly Said[] {
  return [
    ...(draft.name.trim() === "" ? [{ field: "name", key: "flaw.missing" } as const] : []),
    ...(isWithin(draft.address, addresses) ? [] : [{ field: "address", key: "modbus.badAddress" } as const]),
    ...(!registerRequired || isWithin(draft.register, registers)
      ? []
      : [{ field: "register", key: "modbus.badRegister" } as const]),
  ];
}

/** Returns PAIR_MODBUS for a draft without flaws. */
export function commandOf(kind: ModbusKind, draft: ModbusDraft): object {
  return {
    ...kind,
    name: draft.name.trim(),
    address: Number(draft.address),
    register: Number(draft.register),
    normallyOff: canInvert(kind) ? !draft.isInverted : kind.normallyOff,
    readDeviceIdSupported: draft.isAsked,
    ...(draft.port !== "" && { port: draft.port }),
  };
}

/** Returns in words for people why a device was not paired; undefined for a reason that only the hub can word. */
export function refusedModbus({ status, message, errors: [error] }: Failure): Said | undefined {
  if (status === 504) return { field: "address", key: "modbus.silent" };
  if (status === 503) return { field: "", key: "modbus.lineLost" };
  if (message.includes("no Modbus line")) return { field: "", key: "modbus.noLine" };
  if (error === undefined) return undefined;
  const named = /"(.*)"/s.exec(error.message)?.[1];
  switch (error.field) {
    case "address":
      if (!error.message.includes("says that it is")) return { field: "address", key: "modbus.silent" };
      return { field: "address", key: "modbus.other", params: { said: named ?? "" } };
    case "register":
      if (named === undefined) return { field: "register", key: "modbus.noRegister" };
      return { field: "register", key: "modbus.taken", params: { name: named } };
    case "readDeviceIdSupported":
      return { field: "readDeviceIdSupported", key: "modbus.nameless" };
    case "port":
      return { field: "port", key: "modbus.several" };
    case "modelId":
    case "registerType":
    case "deviceType":
      return { field: "", key: "modbus.unknownKind" };
    default:
      return undefined;
  }
}
