import { checkedSetting, refuseSetting } from "@ledge/port";
import Type from "typebox";
import type { Address } from "./network/address.ts";
import { defaultPort, readAddress } from "./network/address.ts";

const integer = (minimum: number, maximum: number): Type.TOptional<Type.TInteger> =>
  Type.Optional(Type.Integer({ minimum, maximum }));
const Endpoint = Type.String({ minLength: 1, maxLength: 32 });

const Settings = Type.Object(
  {
    host: Type.Optional(Endpoint),
    port: integer(0, 65_535),
    broadcast: Type.Optional(Endpoint),
    bbmd: Type.Optional(
      Type.Object({ address: Endpoint, ttlS: integer(30, 65_535) }, { additionalProperties: false }),
    ),
    timeoutMs: integer(20, 60_000),
    retries: integer(0, 10),
    pollMs: integer(20, 86_400_000),
    covLifetimeS: integer(0, 86_400),
    checkMs: integer(20, 86_400_000),
    unreachableAfter: integer(1, 100),
  },
  { additionalProperties: false },
);

/** The adapter's part of a profile, with defaults. */
export interface BacnetClientSettings {
  /** The local IPv4 address; all of them by default, without which no broadcast is heard. */
  readonly host: string;
  /** The UDP port, of the hub and of broadcasts; 0 picks a free one. */
  readonly port: number;
  /** Where broadcasts go, `host:port`. */
  readonly broadcast: Address;
  /** A BBMD with which the hub registers as a foreign device for `ttlS` seconds at a time. */
  readonly bbmd: { readonly address: Address; readonly ttlS: number } | undefined;
  /** How long the hub waits for an answer, and how often it asks again. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** How often values are read that a device does not notify by itself. */
  readonly pollMs: number;
  /** For how long the hub subscribes to changes; 0: it polls only. */
  readonly covLifetimeS: number;
  /** How often values with a subscription are read nonetheless. */
  readonly checkMs: number;
  /** A device is unreachable after this many failed rounds in a row. */
  readonly unreachableAfter: number;
}

/**
 * Validates the settings and fills in defaults.
 * @param serverPort the port of the hub's server while that is on: a node has one port.
 * @throws AdapterError `settings`; the message starts with the path of the wrong field, such as `bbmd.address`.
 */
export function readSettings(value: unknown, serverPort?: number): BacnetClientSettings {
  const settings = checkedSetting(Settings, value, "");
  const port = serverPort ?? settings.port ?? defaultPort;
  const { host = "0.0.0.0", broadcast = "255.255.255.255", bbmd } = settings;
  return {
    host: endpoint("host", host).split(":", 1)[0] as string,
    port,
    broadcast: endpoint(
      "broadcast",
      broadcast.includes(":") ? broadcast : `${broadcast}:${port || defaultPort}`,
    ),
    bbmd: bbmd && { address: endpoint("bbmd.address", bbmd.address), ttlS: bbmd.ttlS ?? 300 },
    timeoutMs: settings.timeoutMs ?? 3000,
    retries: settings.retries ?? 2,
    pollMs: settings.pollMs ?? 10_000,
    covLifetimeS: settings.covLifetimeS ?? 300,
    checkMs: settings.checkMs ?? 60_000,
    unreachableAfter: settings.unreachableAfter ?? 2,
  };
}

function endpoint(field: string, text: string): Address {
  const address = readAddress(text);
  if (address === undefined || address.includes("/"))
    refuseSetting(field, "must be an IPv4 address, with a port or none");
  return address;
}
