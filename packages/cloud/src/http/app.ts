import { noWeb, type Web } from "@ledge/link";
import type { Hono } from "hono";
import type { Allowances } from "./allowances.ts";
import { trustIn } from "./caller-address.ts";
import type { Platform } from "../platform.ts";
import { mountPlatform1 } from "../platform1/index.ts";
import { type CloudEnv, emptyApp, type Gates, mount } from "./mount.ts";
import { graphRows, operationRow } from "./graph-rows.ts";
import { mountProviders } from "./provider-rows.ts";
import { pushRows } from "./push-rows.ts";
import { cloudRows } from "./rows.ts";
import { graphSite, platformSite, root } from "./sites.ts";
import type { Services } from "./services.ts";
import { webRows } from "./web-rows.ts";

/** Options of `createCloudApp`. */
export interface CloudAppOptions extends Services {
  /** Counts callers; Graph counts by it, too. */
  readonly allowances: Allowances;
  readonly platform: Pick<Platform, "graph" | "watching" | "homes">;
  /** Whether the 1.0 API is served (default: `on`); otherwise it answers 410 (docs/platform1.md). */
  readonly platform1?: "on" | "off";
  /** Addresses or networks of proxies whose forwarding headers are trusted. */
  readonly trustedProxies?: readonly string[];
  /** As in `Gates`. */
  readonly fresh?: Gates["fresh"];
  /** As in `Gates`. */
  readonly isLate?: Gates["isLate"];
  /** The web interface. Default: none. */
  readonly web?: Web;
}

/**
 * Makes the cloud's HTTP interface for users (hub-api 4.10) and for hubs.
 * @throws Error when a trusted proxy is not an address
 */
export function createCloudApp({
  trustedProxies = [],
  allowances,
  platform: { graph, watching, homes },
  platform1 = "on",
  fresh,
  isLate,
  web = noWeb,
  ...services
}: CloudAppOptions): Hono<CloudEnv> {
  const originOf = trustIn(trustedProxies);
  const addressOf: Gates["addressOf"] = (incoming) => originOf(incoming).address;
  const gates: Gates = { services, allowances, addressOf, fresh, isLate };
  const app = emptyApp(services);
  for (const { row, site } of cloudRows) mount(app, row, site, gates);
  for (const row of [...graphRows(graph), ...pushRows(watching, homes)]) mount(app, row, graphSite, gates);
  for (const row of webRows(web)) mount(app, row, root, gates);
  mountPlatform1(app, gates, graph, platform1);
  mountProviders(app, gates, graph);
  mount(app, operationRow(graph), platformSite, gates);
  return app;
}
