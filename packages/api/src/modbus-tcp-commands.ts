import { problemsOf } from "@ledge/link";
import {
  type Command,
  defaultModbusServer,
  hasFeature,
  type ModbusServer,
  modbusServerId,
  SetModbusServer,
  SetModbusTcpMappings,
} from "@ledge/model";
import type { ModbusTcp } from "./ports.ts";
import type { ProtocolCommand } from "./protocol-command.ts";
import { invalid, Refused } from "./refused.ts";
import type { Call } from "./row.ts";
import { submitFor } from "./submit.ts";
import { validatorOf } from "./validator.ts";

const mappings = validatorOf(SetModbusTcpMappings);
const server = validatorOf(SetModbusServer);

type Answer = (call: Call, command: ProtocolCommand) => unknown;

/** A Modbus TCP server that does not run. */
export const noModbusTcp: ModbusTcp = {
  status: () => ({ listening: null, problem: null, clients: 0, requests: 0, refused: 0, garbled: 0 }),
  settled: async () => {},
};

/** The commands of the hub's own Modbus TCP server, which no adapter answers. */
const commands: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["GET_MODBUS_TCP_MAPPINGS", ({ hub }) => settingsOf(hub).mappings],
  [
    "SET_MODBUS_TCP_MAPPINGS",
    (call, command) => {
      if (!mappings().Check(command)) return invalid(problemsOf(mappings(), command));
      return submitFor(call, [command as Command], true);
    },
  ],
  ["GET_MODBUS_TCP_SERVER", ({ hub }) => shownServer(settingsOf(hub), hub.modbusServer)],
  ["SET_MODBUS_TCP_SERVER", setServer],
]);

/**
 * Answers a command of the hub's Modbus TCP server.
 * @returns undefined for any other command, and on a hub without the feature
 */
export function modbusTcpAnswer(call: Call, command: ProtocolCommand): unknown {
  const answer = commands.get(command.type);
  if (answer === undefined || !hasFeature("MODBUS_TCP_SERVER", call.hub.kernel)) return undefined;
  return answer(call, command);
}

/** Clients take anything but true for a failure, and show its message. */
async function setServer(call: Call, command: ProtocolCommand): Promise<unknown> {
  if (!server().Check(command)) return invalid(problemsOf(server(), command));
  const done = await submitFor(call, [command as Command], true);
  if (done instanceof Refused) return done;
  await call.hub.modbusServer.settled();
  const { problem } = call.hub.modbusServer.status();
  return problem === null ? true : { type: command.type, message: `cannot listen: ${problem}` };
}

/** Returns MODBUS_TCP_SERVER: the settings, and what the server does now. */
export function shownServer({ enabled, port, allow }: ModbusServer, now: ModbusTcp): object {
  return { type: "MODBUS_TCP_SERVER", enabled, port, allow, ...now.status() };
}

function settingsOf({ kernel }: Call["hub"]): ModbusServer {
  return kernel.get("modbusServer", modbusServerId) ?? defaultModbusServer;
}
