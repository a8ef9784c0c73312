import { readFileSync, statSync } from "node:fs";
import { type Problem, problemsOf } from "@ledge/link";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { readCertificate } from "./http/certificate.ts";
import { isLoopback, trustIn } from "./http/caller-address.ts";

const closed = { additionalProperties: false };

/** Where mails are handed in. */
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

/** What a configuration file says of a cloud. */
const CloudSettings = Type.Object(
  {
    /** Under which people reach it, without a path; where it listens when left out. */
    address: Type.Optional(Type.String({ pattern: "^https?://[^\\s/@]+$" })),
    /** Other addresses that hubs dial to reach it. */
    aliases: Type.Optional(Type.Array(Type.String({ pattern: "^https?://[^\\s/@]+$" }), { maxItems: 16 })),
    /** Its name in what it signs; `address` when left out. It must stay: hubs believe it. */
    issuer: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    /** Proxies or networks of them that are believed about where a request comes from. */
    trustedProxies: Type.Optional(Type.Array(Type.String())),
    /** Files (PEM) of a key and its certificate: the cloud speaks TLS itself. */
    tls: Type.Optional(
      Type.Object({ key: Type.String({ minLength: 1 }), certificate: Type.String({ minLength: 1 }) }, closed),
    ),
    /** Whoever gives the token is answered at `GET /metrics`; without it only the data folder's socket answers. */
    metrics: Type.Optional(Type.Object({ token: Type.String({ minLength: 16, maxLength: 256 }) }, closed)),
    /** What one user may ask of one hub through the relay; `relayRequestsPerMinute` of the limits when left out. */
    relay: Type.Optional(
      Type.Object({ requestsPerMinute: Type.Integer({ minimum: 1, maximum: 1e9 }) }, closed),
    ),
    /** When left out, mails are put into a folder. */
    mail: Type.Optional(MailSettings),
  },
  closed,
);
export type CloudSettings = Type.Static<typeof CloudSettings>;

const validator = Compile(CloudSettings);

/**
 * Reads a configuration file (JSON).
 * @throws Error that names the file and what is wrong with it
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
    if (settings.tls !== undefined) readCertificate(settings.tls);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
  const holdsSecret = settings.mail?.password !== undefined || settings.metrics !== undefined;
  if (holdsSecret && (statSync(file).mode & 0o077) !== 0)
    throw new Error(`${file} holds a password or a token and is open to others: chmod 600 it`);
  return settings;
}

/**
 * Why a cloud must not listen so (decision 46): tokens and passwords would go over a network in the clear.
 * @param host address or name to listen on
 */
export function plainProblem(host: string, { tls, trustedProxies = [] }: CloudSettings): string | undefined {
  if (tls !== undefined || trustedProxies.length > 0 || isLoopback(host)) return undefined;
  return `--host ${host} would be served without TLS: name tls, or the trustedProxies that speak it, in --config`;
}

/** The addresses under which hubs may say that they have dialled a cloud, as `new URL(address).origin`. */
export interface Addresses {
  readonly known: readonly string[];
  /** Those of the machine itself: of hubs on it. */
  readonly here: readonly string[];
}

/** @param listening where it listens: known where no address is configured */
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
