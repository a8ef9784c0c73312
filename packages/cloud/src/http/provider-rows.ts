import { limits } from "@ledge/model";
import type { Hono } from "hono";
import Type from "typebox";
import type { Graph } from "../graph/graph.ts";
import type { Base, Kind } from "../graph/row.ts";
import { Refused } from "@ledge/link";
import { type CloudEnv, type Gates, mount } from "./mount.ts";
import { graphCaller } from "./graph-caller.ts";
import { type Row, row } from "./row.ts";
import { providerSite } from "./sites.ts";

/** A provider operation: a path, and the messages of Graph that it takes. */
interface Provider {
  readonly path: string;
  readonly base: Base;
  /** The field of the message that the path has. */
  readonly id?: string;
}

const register = "/deviceRegister/:deviceRegisterId";
const hub = "/hub/:hubId";

/** The deprecated operations of providers (platform-api 4.3). */
const providers: readonly Provider[] = [
  { path: `${register}/command`, base: "DeviceRegisterCommand", id: "deviceRegisterId" },
  { path: `${register}/query`, base: "DeviceRegisterQuery", id: "deviceRegisterId" },
  { path: `${hub}/command`, base: "HubCommand", id: "hubId" },
  { path: `${hub}/query`, base: "HubQuery", id: "hubId" },
  { path: "/hubs/query", base: "HubsQuery" },
];

/** Mounts the deprecated operations of providers. Each is answered by Graph. */
export function mountProviders(app: Hono<CloudEnv>, gates: Gates, graph: Graph): void {
  app.use(`${providerSite.prefix}/*`, async (c, next) => {
    await next();
    c.res.headers.set("deprecation", "@1767225600");
  });
  for (const each of providers) mount(app, endpoint(each, graph), providerSite, gates);
}

function endpoint({ path, base, id }: Provider, graph: Graph): Row {
  const kind: Kind = base.endsWith("Query") ? "query" : "command";
  return row({
    method: kind === "query" ? "POST" : "PUT",
    path,
    who: "platform",
    countsItself: true,
    from: "json",
    fields: Type.Object({}),
    bodyAs: "body",
    bodyBytes: limits.graphBodyBytes,
    async handle(call) {
      const { signal, header } = call;
      const given = call.fields as Readonly<Record<string, unknown>>;
      const only = { base, ...(id !== undefined && { field: id, value: given[id] }) };
      const asking = { traceparent: header("traceparent"), signal, only };
      const answer = await graph.answer(given["body"], graphCaller(call), kind, asking);
      return answer instanceof Refused ? answer : { result: answer.result };
    },
  });
}
