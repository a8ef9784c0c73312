import type { IncomingMessage } from "node:http";
import { limits } from "@ledge/model";
import { type Context, Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { Authentication } from "./auth.ts";
import { Door } from "./door.ts";
import type { ApiEnv } from "./call.ts";
import type { Opening } from "./opening.ts";
import { preflight } from "./json.ts";
import { type AddressClass, AddressRates, renderMetrics, type RequestFigures } from "@ledge/link";
import { openApiDocument } from "./openapi.ts";
import type { Listener } from "./listener.ts";
import type { HubPorts } from "./ports.ts";
import { notFound, Refused } from "./refused.ts";
import type { Api, Row } from "./row.ts";
import { apiVersion, hasVersion, isOtherVersion } from "./version.ts";

export interface ApiOptions {
  readonly rows: readonly Row[];
  readonly ports: HubPorts;
  readonly listener: Listener;
  /** One for all listeners, as are `figures`. */
  readonly auth: Authentication;
  readonly figures: RequestFigures;
  /** Whom a request without a verified credential is counted against. Default: the peer's address. */
  readonly addressOf?: (incoming: IncomingMessage | undefined) => string;
  /** Hears who has shown a good key on the connection of a request; undefined for a key that is not good. */
  readonly keyShown?: (incoming: IncomingMessage, user: string | undefined) => void;
  readonly bodyBytes?: number;
  /** Requests without a verified credential that an address may send in a minute, by their class. */
  readonly perAddress?: Readonly<Partial<Record<AddressClass, number>>>;
}

const perAddress: Readonly<Record<AddressClass, number>> = {
  open: limits.openReadsPerMinutePerAddress,
  key: limits.wrongKeysPerMinutePerAddress,
  act: limits.actsPerMinutePerAddress,
};

/**
 * The API for one listener (hub-api 4). The gates stand in this order: host, preflight, version, row, rate,
 * credential, claimed, access, feature, query, body. A path that is known under another method only is
 * answered 404 like an unknown one: the spec has no 405. HEAD is answered like GET.
 */
export function createApi(options: ApiOptions): Hono<ApiEnv> {
  const { rows, ports, listener, auth, figures } = options;
  const { version } = ports.meta();
  const prefix = `/cc/${apiVersion(version)}`;
  const served = rows.filter(({ since }) => since === undefined || hasVersion(version, since));
  const opening: Opening = {
    ports,
    listener,
    auth,
    figures,
    api: apiOf(options, served),
    addressOf: options.addressOf ?? ((incoming) => incoming?.socket.remoteAddress ?? "unknown"),
    keyShown: options.keyShown ?? (() => {}),
    bodyBytes: options.bodyBytes ?? limits.bodyBytes,
    addressRates: new AddressRates({ ...perAddress, ...options.perAddress }, limits.addressBuckets),
  };
  const door = new Door(opening);
  const app = new Hono<ApiEnv>({ getPath: pathOf });
  for (const row of served) {
    app.on(row.method, row.unversioned ? row.path : `${prefix}${row.path}`, door.handler(row));
  }
  app.options("*", (c) => door.strangeHost(c) ?? preflight());
  app.notFound((c) => door.strangeHost(c) ?? door.absent(absence(c, apiVersion(version))));
  app.onError((error) => door.fault(error, "outside of a row"));
  return app;
}

/** As Hono's own, which looks at one character after the other: polls are many. */
function pathOf(request: Request): string {
  const { url } = request;
  if (url.includes("%") || url.includes("#")) return getPath(request);
  const start = url.indexOf("/", url.indexOf(":") + "://".length);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

function absence(c: Context, served: string): Refused {
  return isOtherVersion(c.req.path, served)
    ? new Refused(410, `this version of the API is no longer served; the hub speaks ${served}`)
    : notFound();
}

function apiOf({ ports, figures }: ApiOptions, served: readonly Row[]): Api {
  let document: Uint8Array | undefined;
  return {
    get document() {
      document ??= Buffer.from(JSON.stringify(openApiDocument(served, ports.meta().version)));
      return document;
    },
    metrics: () => figures.render() + renderMetrics(ports.metrics()),
  };
}
