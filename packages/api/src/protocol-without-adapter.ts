import { defaultModbusServer } from "@ledge/model";
import type { ProtocolCommand } from "./protocol-command.ts";
import { noModbusTcp, shownServer } from "./modbus-tcp-commands.ts";
import { invalid, type Refused } from "./refused.ts";

/** What a node's answer says where there is no network to ask (wire-facts 2.1). */
const hubFailure = 0xff;

const noZwave = "this hub has no Z-Wave radio";

const status = (type: string) => (): object => ({ type, status: "NO_ZWAVE", nodeId: null });
const inclusion = status("ZWAVE_INCLUSION_STATUS");
const exclusion = status("ZWAVE_EXCLUSION_STATUS");

/** Of a node: nobody can tell, and why. */
function node({ type, ["nodeId"]: nodeId }: ProtocolCommand, more: object = {}): object {
  return { type, nodeId: numberIn(nodeId), ...more, status: hubFailure, reason: noZwave };
}

/** A parameter of a node, as it was asked for, with no value. */
function parameter(command: ProtocolCommand): object {
  const size = numberIn(command["size"]) ?? 0;
  return node(command, { parameter: numberIn(command["parameter"]), size, value: null });
}

/** Requests have numbers as texts too, answers as numbers alone. */
function numberIn(value: unknown): number | null {
  const found = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

const empty: ReadonlyMap<string, (command: ProtocolCommand) => unknown> = new Map([
  ["ZWAVE_START_INCLUSION", inclusion],
  ["GET_ZWAVE_INCLUSION_STATUS", inclusion],
  ["ZWAVE_CANCEL_INCLUSION", inclusion],
  ["ZWAVE_START_EXCLUSION", exclusion],
  ["GET_ZWAVE_EXCLUSION_STATUS", exclusion],
  ["ZWAVE_CANCEL_EXCLUSION", exclusion],
  ["ZWAVE_HEAL", inclusion],
  [
    "GET_ZWAVE_LEAVING_STATUS",
    () => ({ type: "ZWAVE_LEAVING_STATUS", status: "NO_ZWAVE", network: null, isMember: null }),
  ],
  ["ZWAVE_GET_NODES", () => []],
  ["ZWAVE_CHECK_FAILED", (command) => node(command, { isFailed: false })],
  ["ZWAVE_REMOVE_FAILED", (command) => node(command)],
  ["ZWAVE_UI_GET_CONFIGURATION", parameter],
  ["ZWAVE_UI_SET_CONFIGURATION", parameter],
  ["GET_MODBUS_PAIRINGS", () => []],
  ["GET_MODBUS_MODELS", () => ({ type: "MODBUS_MODELS", models: [], problems: [] })],
  ["GET_MODBUS_STATISTICS", () => []],
  // Clients take anything but true for a failure, and show its message.
  ["PAIR_MODBUS", ({ type }) => ({ type, message: "this hub has no Modbus adapter" })],
  ["GET_MODBUS_TCP_SERVER", () => shownServer(defaultModbusServer, noModbusTcp)],
  [
    "SET_MODBUS_TCP_SERVER",
    ({ type }) => ({ type, message: "this hub has no Modbus TCP server: the feature is not on" }),
  ],
  ["GET_MODBUS_TCP_MAPPINGS", () => []],
  ["SET_MODBUS_TCP_MAPPINGS", ({ type }) => ({ type, message: "this hub has no Modbus TCP server" })],
]);

/**
 * What a hub answers to a protocol command that none of its adapters takes: the empty form of its answer, as clients in
 * the field end at what is refused.
 * @returns 422 for a type that is none
 */
export function withoutAdapter([first]: readonly ProtocolCommand[]): unknown {
  const answer = first && empty.get(first.type);
  if (first !== undefined && answer !== undefined) return answer(first);
  return unknownType(first?.type ?? "");
}

function unknownType(type: string): Refused {
  return invalid([{ field: "type", message: `is ${type}, which no adapter of this hub knows` }]);
}
