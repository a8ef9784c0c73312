import { AdapterError, checkedSetting, refuseSetting, type RequestTable } from "@ledge/port";
import Type from "typebox";
import { describePort } from "./describe.ts";

/** How a serial port transmits. */
export interface SerialFormat<BaudRate extends number = number> {
  /** Bits per second. */
  readonly baudRate: BaudRate;
  readonly dataBits: 7 | 8;
  readonly stopBits: 1 | 2;
  readonly parity: "none" | "even" | "odd";
}

/** A serial port of an adapter. */
export interface UsedPort extends SerialFormat {
  /** As in the adapter's settings. */
  readonly name: string;
  /** As in `/dev`. */
  readonly path: string;
}

/** What `serialRequests` needs of an adapter. */
export interface SerialPorts<BaudRate extends number> {
  /** Of SERIAL_CONFIG, such as `MODBUS_CONTROLLER`. */
  readonly controllerType: string;
  /** Those that users may choose from. */
  readonly baudRates: readonly BaudRate[];
  readonly ports: () => readonly UsedPort[];
  /** Stores a port's format and opens the port anew with it. */
  readonly change: (name: string, format: SerialFormat<BaudRate>) => Promise<void>;
}

const characters = {
  allowedDatabits: [7, 8],
  allowedStopbits: [1, 2],
  allowedParities: ["none", "even", "odd"],
} as const;

const SetSerialPort = Type.Object({
  name: Type.String(),
  settings: Type.Object({
    baudrate: Type.Integer(),
    databits: Type.Integer(),
    stopbits: Type.Integer(),
    parity: Type.String(),
  }),
});

/**
 * Returns the requests with which users see and change the serial ports of an adapter. GET_SERIAL_PORTS answers with
 * SERIAL_CONFIG (hub-api 2.10) of each; its description tells what is plugged in. SET_SERIAL_PORT fails with AdapterError
 * `settings`; the message starts with the wrong field.
 */
export function serialRequests<BaudRate extends number>({
  controllerType,
  baudRates,
  ports,
  change,
}: SerialPorts<BaudRate>): RequestTable {
  const configOf = async ({ name, path, baudRate, ...format }: UsedPort): Promise<object> => ({
    type: "SERIAL_CONFIG",
    controllerType,
    name,
    description: await describePort(path),
    allowedBaurates: baudRates,
    ...characters,
    settings: {
      type: "SERIAL_SETTINGS",
      baudrate: baudRate,
      databits: format.dataBits,
      stopbits: format.stopBits,
      parity: format.parity,
    },
  });
  return {
    GET_SERIAL_PORTS: () => Promise.all(ports().map(configOf)),
    SET_SERIAL_PORT: async (request) => {
      const { name, settings } = checkedSetting(SetSerialPort, request, "");
      if (!ports().some((port) => port.name === name))
        throw new AdapterError("settings", `name: there is no serial port ${name}`);
      await change(name, {
        baudRate: oneOf("baudrate", settings.baudrate, baudRates),
        dataBits: oneOf("databits", settings.databits, characters.allowedDatabits),
        stopBits: oneOf("stopbits", settings.stopbits, characters.allowedStopbits),
        parity: oneOf("parity", settings.parity, characters.allowedParities),
      });
      return true;
    },
  };
}

function oneOf<T>(field: string, value: unknown, values: readonly T[]): T {
  const found = values.find((each) => each === value);
  return found ?? refuseSetting(`settings.${field}`, `must be one of ${values.join(", ")}`);
}
