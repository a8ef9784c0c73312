import { AdapterError, checkedSetting, refuseSetting } from "@ledge/port";
import { describePort } from "@ledge/serial";
import Type from "typebox";
import type { PortSettings, SerialFormat } from "./settings.ts";

const allowed = {
  allowedBaurates: [1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200],
  allowedDatabits: [7, 8],
  allowedStopbits: [1, 2],
  allowedParities: ["none", "even", "odd"],
} as const;

/** Returns SERIAL_CONFIG (hub-api 2.10) of each serial line; its description tells what is plugged in. */
export async function serialPorts(ports: readonly PortSettings[]): Promise<readonly object[]> {
  const described = ports.map(async ({ name, transport }) => {
    if (transport.type !== "rtu") return [];
    const { path, baudRate, dataBits, stopBits, parity } = transport;
    const settings = {
      type: "SERIAL_SETTINGS",
      baudrate: baudRate,
      databits: dataBits,
      stopbits: stopBits,
      parity,
    };
    return {
      type: "SERIAL_CONFIG",
      controllerType: "MODBUS_CONTROLLER",
      name,
      description: await describePort(path),
      ...allowed,
      settings,
    };
  });
  return (await Promise.all(described)).flat();
}

const Wanted = Type.Object({
  name: Type.String(),
  settings: Type.Object({
    baudrate: Type.Integer(),
    databits: Type.Integer(),
    stopbits: Type.Integer(),
    parity: Type.String(),
  }),
});

/**
 * Reads a SET_SERIAL_PORT request.
 * @throws AdapterError `settings`; the message starts with the wrong field.
 */
export function readSerialPort(
  request: unknown,
  ports: readonly PortSettings[],
): { readonly port: string; readonly settings: SerialFormat } {
  const { name, settings } = checkedSetting(Wanted, request, "");
  const port = ports.find((each) => each.name === name && each.transport.type === "rtu");
  if (port === undefined) throw new AdapterError("settings", `name: there is no serial line ${name}`);
  const within = <T>(field: string, value: unknown, values: readonly T[]): T => {
    const found = values.find((each) => each === value);
    return found ?? refuseSetting(`settings.${field}`, `must be one of ${values.join(", ")}`);
  };
  return {
    port: port.name,
    settings: {
      baudRate: within("baudrate", settings.baudrate, allowed.allowedBaurates),
      dataBits: within("databits", settings.databits, allowed.allowedDatabits),
      stopBits: within("stopbits", settings.stopbits, allowed.allowedStopbits),
      parity: within("parity", settings.parity, allowed.allowedParities),
    },
  };
}
