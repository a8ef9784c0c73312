import { Refused } from "@ledge/link";
import { limits } from "@ledge/model";
import type { Hono } from "hono";
import Type from "typebox";
import type { Graph } from "../graph/graph.ts";
import { problemType, respondOrProblem } from "../http/answers.ts";
import { type CloudEnv, type Gates, mount } from "../http/mount.ts";
import { graphCaller } from "../http/graph-caller.ts";
import { type Row, row } from "../http/row.ts";
import { platformSite } from "../http/sites.ts";
import { answerOf } from "./answer.ts";
import { fieldsIn } from "./parameters.ts";
import { payloadOf } from "./payload.ts";
import type { Row1 } from "./row.ts";
import { rows1 } from "./rows.ts";

/** What every answer says: until when the API is there, and what replaces it (RFC 9745, RFC 8594). */
const headers = {
  deprecation: "@1767225600",
  sunset: "Thu, 31 Dec 2026 23:59:59 GMT",
  link: [
    '</apidoc>; rel="deprecation"; type="application/json"',
    '</apidoc>; rel="sunset"; type="application/json"',
    '</graph>; rel="successor-version"',
  ].join(", "),
} as const;

/**
 * Mounts the platform 1.0 API (platform-api 4.4), which is deprecated. Nothing else imports from this folder: it
 * can be deleted together with the lines that name it.
 * @param state `off` answers 410 to everything below `/1.0`
 */
export function mountPlatform1(app: Hono<CloudEnv>, gates: Gates, graph: Graph, state: "on" | "off"): void {
  app.use(`${platformSite.prefix}/*`, async (c, next) => {
    if (state === "on") await next();
    else c.res = respondOrProblem(new Refused(410, "the 1.0 API is gone: use /graph"), c.req.path);
    const isProblem = c.res.headers.get("content-type") === problemType;
    if (c.res.status === 404 && !isProblem)
      c.res = respondOrProblem(new Refused(404, "there is nothing here"), c.req.path);
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  });
  for (const each of rows1) mount(app, endpoint(each, graph), platformSite, gates);
}

function endpoint(row1: Row1, graph: Graph): Row {
  const { method, path, type, query, body, fixed, inTenant } = row1;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return row({
    method,
    path: withoutCase(path),
    who: "platform",
    countsItself: true,
    from: row1.isBinary ? "bytes" : "json",
    ...(body !== undefined && { fields: Type.Object({}), bodyAs: "body" }),
    bodyBytes: row1.isBinary ? limits.executeBytes : limits.graphBodyBytes,
    async handle(call) {
      const { cloud, clock, fields, signal, header, query: parameters } = call;
      const { account, access } = call.caller;
      const tenant = access?.tenant ?? cloud.tenancy.activeTenantOf(account.id);
      const given = fields as Readonly<Record<string, unknown>>;
      const sent = given["body"];
      const fromBody = row1.isBinary
        ? payloadOf(sent as Uint8Array, header("content-type"))
        : body === "message"
          ? (sent as object)
          : body && { [body]: sent };
      const message = {
        ...fromBody,
        ...fieldsIn(parameters(), query),
        ...Object.fromEntries(names.map((name) => [name, given[name]])),
        ...(inTenant && { tenantId: tenant }),
        ...fixed,
        type,
      };
      const kind = type.endsWith("Query") ? "query" : "command";
      const caller = { ...graphCaller(call), tenant };
      const asking = { traceparent: header("traceparent"), signal };
      const answer = await graph.answer({ [kind]: message }, caller, kind, asking);
      if (answer instanceof Refused) return answer;
      const waiting = { kernel: cloud.kernel, clock, signal };
      return answerOf(row1, message, answer.result, pathOf(given, path), waiting);
    },
  });
}

/** Returns a path whose literal segments match in any case. */
function withoutCase(path: string): string {
  return path
    .split("/")
    .map((segment, index) => (/^[A-Za-z]/.test(segment) ? `:segment${index}{${anyCase(segment)}}` : segment))
    .join("/");
}

function anyCase(segment: string): string {
  return segment.replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
}

/** Returns the path that was called, by its fields. */
function pathOf(given: Readonly<Record<string, unknown>>, path: string): string {
  const called = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(given[name])));
  return platformSite.prefix + called;
}
