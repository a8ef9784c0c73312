import Type from "typebox";
import { askAll, doneBy, noteAsked, refusedByAdapter } from "../adapter-answers.ts";
import { modbusTcpAnswer } from "../modbus-tcp-commands.ts";
import { ProtocolCommand } from "../protocol-command.ts";
import { withoutAdapter } from "../protocol-without-adapter.ts";
import { refusedToAdmins } from "../premium.ts";
import { invalid, type Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { withDeviceIds } from "../zwave-node-devices.ts";

/** Only these may stand in a list more than once. */
const repeatable: ReadonlySet<string> = new Set(["PAIR_MODBUS"]);

const SerialSettings = Type.Object({
  type: Type.Optional(Type.Literal("SERIAL_SETTINGS")),
  baudrate: Type.Integer(),
  databits: Type.Integer(),
  stopbits: Type.Integer(),
  parity: Type.String(),
});
const SerialConfig = Type.Object({
  type: Type.Literal("SERIAL_CONFIG"),
  controllerType: Type.Union([Type.Literal("MODBUS_CONTROLLER"), Type.Literal("SERIAL_MBUS_CONTROLLER")]),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  allowedBaurates: Type.Optional(Type.Array(Type.Integer())),
  allowedDatabits: Type.Optional(Type.Array(Type.Integer())),
  allowedStopbits: Type.Optional(Type.Array(Type.Integer())),
  allowedParities: Type.Optional(Type.Array(Type.String())),
  settings: SerialSettings,
});
type SerialConfig = Type.Static<typeof SerialConfig>;

export const protocols = [
  row({
    method: "POST",
    path: "/hub/protocolconfig",
    summary: "Sends a command to the adapter of a protocol, and answers what the adapter does",
    access: "USER_ADMIN",
    body: ProtocolCommand,
    list: true,
    result: Type.Unknown(),
    handle: (call) => configure(call.body, call),
  }),
  row({
    method: "GET",
    path: "/hub/serialports",
    summary: "Serial ports with the settings that each may have",
    access: "USER_ADMIN",
    result: Type.Array(SerialConfig),
    handle: async (call) => (await askAll<SerialConfig>(call, "GET_SERIAL_PORTS")).map(({ item }) => item),
  }),
  row({
    method: "POST",
    path: "/hub/serialport",
    summary: "Sets up a serial port; the owner alone where PREMIUM is on",
    access: "USER_ADMIN",
    body: SerialConfig,
    result: Type.Literal(true),
    handle: (call) => setSerialPort(call.body, call),
  }),
];

async function configure(commands: readonly ProtocolCommand[], call: Call): Promise<unknown> {
  const [first] = commands;
  if (first === undefined) return invalid([{ field: "", message: "the list holds no command" }]);
  const { type } = first;
  const other = commands.findIndex((command) => command.type !== type);
  if (other !== -1)
    return invalid([{ index: other, field: "type", message: "must be the type of the first" }]);
  if (commands.length > 1 && !repeatable.has(type))
    return invalid([{ index: 1, field: "", message: `one ${type} at a time` }]);
  const answered = await modbusTcpAnswer(call, first);
  if (answered !== undefined) return answered;
  const refused = isQuestion(type) ? undefined : await noteAsked(call, type, "protocolCommands");
  if (refused !== undefined) return refused;
  const outcome = await call.hub.ask({ type, commands }, { among: "protocolCommands" });
  if (outcome === undefined) return withoutAdapter(commands);
  if (!outcome.answered) return refusedByAdapter(outcome);
  const { value = null } = outcome;
  return type === "ZWAVE_GET_NODES" ? withDeviceIds(value, call.hub) : value;
}

/** Clients ask some of them every few seconds, and nothing comes of it (wire-facts 2.1). */
function isQuestion(type: string): boolean {
  return /(?:^|_)GET_/.test(type) || type === "ZWAVE_CHECK_FAILED";
}

async function setSerialPort(wanted: SerialConfig, call: Call): Promise<true | Refused> {
  const refused = refusedToAdmins(call, "sets up serial ports");
  if (refused !== undefined) return refused;
  const { controllerType, name, settings } = wanted;
  const port = (await askAll<SerialConfig>(call, "GET_SERIAL_PORTS")).find(
    ({ item }) => item.controllerType === controllerType && item.name === name,
  );
  const absent = "is no serial port of this hub";
  if (port === undefined) return invalid([{ field: "name", message: absent }]);
  return doneBy(call, { type: "SET_SERIAL_PORT", name, settings }, absent, port.protocol);
}
