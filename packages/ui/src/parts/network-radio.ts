import type { Key } from "../texts/texts.ts";

/** What a radio at a network address may be: its protocol, the driver that speaks with it, and how it is reached. */
export interface RadioKind {
  /** A name of products, the same in every language. */
  readonly name: string;
  readonly protocol: "zigbee" | "zwave";
  readonly driver: string;
  readonly scheme: "tcp" | "esphome";
  /** Where such radios usually listen. */
  readonly port: number;
}

/** Of docs/radios.md; what most people have comes first. */
export const radioKinds = [
  { name: "Zigbee, Texas Instruments", protocol: "zigbee", driver: "zstack", scheme: "tcp", port: 6638 },
  { name: "Zigbee, Silicon Labs", protocol: "zigbee", driver: "ember", scheme: "tcp", port: 6638 },
  { name: "Zigbee, ConBee, RaspBee", protocol: "zigbee", driver: "deconz", scheme: "tcp", port: 6638 },
  { name: "Zigbee, Nordic ZBOSS", protocol: "zigbee", driver: "zboss", scheme: "tcp", port: 6638 },
  { name: "Zigbee, ZiGate", protocol: "zigbee", driver: "zigate", scheme: "tcp", port: 9999 },
  { name: "Z-Wave", protocol: "zwave", driver: "zwave", scheme: "tcp", port: 6638 },
  { name: "Z-Wave, ESPHome", protocol: "zwave", driver: "zwave", scheme: "esphome", port: 6053 },
] as const satisfies readonly RadioKind[];

/** What somebody has typed. */
export interface TypedRadio {
  /** A name or an IP address. */
  readonly host: string;
  readonly port: string;
}

/** Fields of the form that may be wrong; `port` is also what the hub calls the whole address. */
export const radioFields = ["host", "port"] as const;
type RadioField = (typeof radioFields)[number];

const mostPort = 65_535;

/** Returns what is wrong with what somebody has typed, by field. */
export function radioFlaws({ host, port }: TypedRadio): Readonly<Partial<Record<RadioField, Key>>> {
  const number = Number(port);
  const isPort = /^\d+$/.test(port.trim()) && number >= 1 && number <= mostPort;
  return {
    ...(host.trim() === "" && { host: "login.missing" as const }),
    ...(host.trim() !== "" && /[\s/@?#]/.test(host.trim()) && { host: "networkRadio.noHost" as const }),
    ...(!isPort && { port: "networkRadio.noPort" as const }),
  };
}

/** Returns the stick that is meant, as `POST /hub/stick` takes it. */
export function radioAt(
  { host, port }: TypedRadio,
  { protocol, driver, scheme }: RadioKind,
): { readonly port: string; readonly protocol: string; readonly driver: string } {
  const name = host.trim();
  // An address of IPv6 has colons of its own.
  const place = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
  return { port: `${scheme}://${place}:${Number(port)}`, protocol, driver };
}
