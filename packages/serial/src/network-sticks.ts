import { isIP } from "node:net";
import type { RadioDriver } from "./known-sticks.ts";

/** A service on the network, as DNS-SD shows it (RFC 6763). */
export interface NetworkService {
  /** The type, such as `_slzb-06._tcp.local`. */
  readonly type: string;
  /** The name of the instance, without its type. */
  readonly instance: string;
  readonly port: number;
  /** Its addresses (IP), those of IPv4 first. */
  readonly addresses: readonly string[];
  /** Its facts by lower-case name. */
  readonly text: ReadonlyMap<string, string>;
}

/** A Zigbee coordinator that is reached over the network. */
export interface NetworkStick {
  readonly name: string;
  /** `tcp://address:port` */
  readonly port: string;
  readonly protocol: "zigbee";
  /** Undefined when nothing says which one it needs. */
  readonly driver: RadioDriver | undefined;
}

/** A kind of coordinator, and the driver of all that say nothing of their radio. */
interface KnownService {
  readonly name: string;
  readonly driver?: RadioDriver;
}

/**
 * The services that coordinators announce. From the manifest of Home Assistant's ZHA integration; the drivers from
 * the makers' pages.
 */
const services: ReadonlyMap<string, KnownService> = new Map([
  ["_zigbee-coordinator._tcp.local", { name: "Zigbee coordinator" }],
  ["_slzb-06._tcp.local", { name: "SMLIGHT SLZB-06", driver: "zstack" }],
  ["_uzg-01._tcp.local", { name: "UZG-01", driver: "zstack" }],
  ["_xzg._tcp.local", { name: "XZG coordinator", driver: "zstack" }],
  ["_czc._tcp.local", { name: "CZC coordinator", driver: "zstack" }],
  ["_zigstar_gw._tcp.local", { name: "ZigStar gateway", driver: "zstack" }],
  ["_zigate-zigbee-gateway._tcp.local", { name: "ZiGate", driver: "zigate" }],
]);

/** The types of service to ask for. */
export const stickServices: readonly string[] = [...services.keys()];

/** Drivers by what `radio_type` says; the names are those of zigpy's and zigbee-herdsman's drivers. */
const drivers: ReadonlyMap<string, RadioDriver> = new Map([
  ["znp", "zstack"],
  ["zstack", "zstack"],
  ["ezsp", "ember"],
  ["ember", "ember"],
  ["deconz", "deconz"],
  ["zboss", "zboss"],
  ["zigate", "zigate"],
]);

/** Returns the coordinator that announces a service; undefined for anything else. */
export function networkStick({
  type,
  instance,
  port,
  addresses,
  text,
}: NetworkService): NetworkStick | undefined {
  const known = services.get(type.toLowerCase());
  const [address] = addresses;
  if (known === undefined || address === undefined || port < 1 || port > 65_535) return undefined;
  const radio = text.get("radio_type")?.toLowerCase();
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return {
    name: instance === "" ? known.name : `${known.name} (${instance})`,
    port: `tcp://${host}:${port}`,
    protocol: "zigbee",
    driver: radio === undefined ? known.driver : drivers.get(radio),
  };
}
