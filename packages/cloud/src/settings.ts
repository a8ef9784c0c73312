import { readFileSync, statSync } from "node:fs";
import { networksIn, type Problem, problemsOf } from "@ledge/link";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { readCertificate } from "./http/certificate.ts";
import { isLoopback, trustIn } from "./http/caller-address.ts";

const closed = { additionalProperties: false };
/** A URL without a path. */
const origin = "^https?://[^\\s/@]+$";
/** host:port, where an IPv6 address stands in brackets. */
const hostAndPort = "^(\\[[0-9a-fA-F:.]+\\]|[^\\s:/@]+):[0-9]{1,5}$";

/** The mail server to send through. */
const MailSettings = Type.Object(
  {
    host: Type.String({ minLength: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    security: Type.Union([Type.Literal("tls"), Type.Literal("starttls"), Type.Literal("none")]),
    user: Type.Optional(Type.String({ minLength: 1 })),
    password: Type.Optional(Type.String({ minLength: 1 })),
    from: Type.String({ pattern: '^[^\\s@<>"]+@[^\\s@<>"]+$' }),
  },
  closed,
);

/** The content of a cloud's configuration file. */
const CloudSettings = Type.Object(
  {
    /** URL without a path under which people reach the cloud (default: where it listens). */
    address: Type.Optional(Type.String({ pattern: origin })),
    /** Other addresses that hubs dial to reach it. */
    aliases: Type.Optional(Type.Array(Type.String({ pattern: origin }), { maxItems: 16 })),
    /**
     * The cloud's name in what it signs (default: `address`). It must stay the same, because hubs trust it.
     */
    issuer: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    /** Proxies, or networks of proxies, whose headers tell where a request comes from. */
    trustedProxies: Type.Optional(Type.Array(Type.String())),
    /** PEM files of a private key and its certificate, with which the cloud serves TLS itself. */
    tls: Type.Optional(
      Type.Object({ key: Type.String({ minLength: 1 }), certificate: Type.String({ minLength: 1 }) }, closed),
    ),
    /** Opens `GET /metrics` to callers with the token; without it only the data folder's socket answers. */
    metrics: Type.Optional(Type.Object({ token: Type.String({ minLength: 16, maxLength: 256 }) }, closed)),
    /**
     * Limit of one user's requests to one hub through the relay (default: `limits.relayRequestsPerMinute`).
     */
    relay: Type.Optional(
      Type.Object({ requestsPerMinute: Type.Integer({ minimum: 1, maximum: 1e9 }) }, closed),
    ),
    /** Whether the deprecated 1.0 API is served (default: `on`); `off` answers 410 (docs/platform1.md). */
    platform1: Type.Optional(Type.Enum(["on", "off"])),
    /**
     * `networks`: addresses or networks to which the cloud may send events of sites, also without TLS and on any
     * port, besides hosts of the internet (docs/egress.md).
     */
    egress: Type.Optional(
      Type.Object({ networks: Type.Array(Type.String(), { minItems: 1, maxItems: 64 }) }, closed),
    ),
    /** The database in which the cloud keeps what it knows (default: its folder; docs/fleet.md). */
    store: Type.Optional(Type.String({ pattern: "^postgres(ql)?://" })),
    /** The broker by which the processes of one cloud share news; needs `store`. */
    bus: Type.Optional(Type.String({ pattern: "^(nats|tls)://" })),
    /**
     * How this process joins others on the same `store`. `listen`: where they reach it, host:port (default: on 127.0.0.1,
     * any port). `url`: under which clients reach this process alone, without a path.
     */
    cluster: Type.Optional(
      Type.Object(
        {
          listen: Type.Optional(Type.String({ pattern: hostAndPort })),
          url: Type.Optional(Type.String({ pattern: origin })),
        },
        closed,
      ),
    ),
    /** Without it, the cloud writes mails into a folder. */
    mail: Type.Optional(MailSettings),
  },
  closed,
);
export type CloudSettings = Type.Static<typeof CloudSettings>;

const validator = Compile(CloudSettings);

/**
 * Reads a configuration file (JSON).
 * @throws Error with the file's name and what is wrong with it
 */
export function readSettings(file: string): CloudSettings {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
  const [problem] = problemsOf(validator, value);
  if (problem !== undefined) throw new Error(`${file}: ${said(problem)}`);
  const settings = value as CloudSettings;
  try {
    trustIn(settings.trustedProxies ?? []);
    networksIn(settings.egress?.networks ?? []);
    if (settings.tls !== undefined) readCertificate(settings.tls);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
  const hasPassword = [settings.store, settings.bus].some((url) => url !== undefined && passwordIn(url));
  const holdsSecret = settings.mail?.password !== undefined || settings.metrics !== undefined || hasPassword;
  if (holdsSecret && (statSync(file).mode & 0o077) !== 0)
    throw new Error(`${file} contains a password or a token and is open to others: run chmod 600 on it`);
  return settings;
}

/**
 * Returns why a cloud must not listen on a host without TLS (decision 46): tokens and passwords would cross
 * the network unencrypted.
 * @param host address or name to listen on
 */
export function plainProblem(host: string, { tls, trustedProxies = [] }: CloudSettings): string | undefined {
  if (tls !== undefined || trustedProxies.length > 0 || isLoopback(host)) return undefined;
  return `--host ${host} would serve a network without TLS: set tls in --config, or trustedProxies that add TLS`;
}

/** The addresses that hubs may have dialled to reach the cloud, as `new URL(address).origin`. */
export interface Addresses {
  readonly known: readonly string[];
  /** Loopback addresses, for hubs on this machine. */
  readonly here: readonly string[];
}

/** @param listening where the cloud listens, for use when no address is configured */
export function addressesOf({ address, aliases = [] }: CloudSettings, listening: string): Addresses {
  const { protocol, hostname, port } = new URL(listening);
  const isHere = isLoopback(hostname.replace(/^\[|\]$/g, ""));
  const here = isHere ? loopbacks.map((name) => `${protocol}//${name}:${port}`) : [listening];
  const known = [...(address === undefined ? here : [address]), ...aliases];
  return { known: known.map((one) => new URL(one).origin), here };
}

const loopbacks = ["127.0.0.1", "[::1]", "localhost"] as const;

function said({ field, message }: Problem): string {
  return `${field} ${message}`.trim();
}

function passwordIn(url: string): boolean {
  return URL.canParse(url) && new URL(url).password !== "";
}

/** Returns why a cloud cannot keep what it knows as its settings say. */
export function storeProblem({ store, bus, cluster }: CloudSettings): string | undefined {
  const { listen, url } = cluster ?? {};
  if (cluster !== undefined && store === undefined)
    return "--cluster and --node need --store: processes of one cloud share a database";
  if (listen !== undefined && (!new RegExp(hostAndPort).test(listen) || portOf(listen) > 65_535))
    return "--cluster takes where other processes reach this one, host:port";
  if (listen !== undefined && /^(0\.0\.0\.0|\[::\]):/.test(listen))
    return "--cluster takes an address that other processes can reach, not that of all networks";
  if (url !== undefined && !new RegExp(origin).test(url))
    return "--node takes the URL of this process without a path, https://host";
  if (bus !== undefined && store === undefined)
    return "--bus needs --store: what a bus tells of must be shared";
  if (store !== undefined && !(/^postgres(ql)?:/.test(store) && URL.canParse(store)))
    return "--store takes the URL of a database, postgres://user@host/database";
  if (bus !== undefined && !(/^(nats|tls):/.test(bus) && URL.canParse(bus)))
    return "--bus takes the URL of a broker, nats://host:4222";
  return undefined;
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(":") + 1));
}

/** Returns the host and the port of an address of `cluster.listen`. */
export function listenIn(address: string): { readonly host: string; readonly port: number } {
  const host = address.slice(0, address.lastIndexOf(":")).replace(/^\[|\]$/g, "");
  return { host, port: portOf(address) };
}

/** Returns an address without its password, to be shown. */
export function shownAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
