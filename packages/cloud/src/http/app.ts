import type { Hono } from "hono";
import { Allowances } from "./allowances.ts";
import { trustIn } from "./caller-address.ts";
import { type CloudEnv, emptyApp, type Gates, mount } from "./mount.ts";
import { cloudRows } from "./rows.ts";
import type { Services } from "./services.ts";

export interface CloudAppOptions extends Services {
  /** Addresses or networks of proxies that are believed about where a request comes from. */
  readonly trustedProxies?: readonly string[];
}

/**
 * The cloud's HTTP interface (hub-api 4.10) and what hubs ask of it.
 * @throws Error when a trusted proxy is no address
 */
export function createCloudApp({ trustedProxies = [], ...services }: CloudAppOptions): Hono<CloudEnv> {
  const originOf = trustIn(trustedProxies);
  const addressOf: Gates["addressOf"] = (incoming) => originOf(incoming).address;
  const gates: Gates = { services, allowances: new Allowances(), addressOf };
  const app = emptyApp(services);
  for (const { row, site } of cloudRows) mount(app, row, site, gates);
  return app;
}
