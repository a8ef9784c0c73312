import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { temporaryFolder, until } from "@ledge/testkit";
import { CloudProcess } from "../testdata/cloud-process.ts";

const folder = temporaryFolder();
after(() => folder.remove());

/** https://opentelemetry.io/docs/specs/otlp: JSON of an ExportTraceServiceRequest. */
interface Exported {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly Span[];
    }[];
  }[];
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

test("a collector gets a request, its commit and the push that it brings about as one trace", async () => {
  const spans: Span[] = [];
  const collect = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    assert.equal(request.url, "/v1/traces");
    for (const { scopeSpans } of (JSON.parse(await text(request)) as Exported).resourceSpans)
      for (const { scope, spans: some } of scopeSpans) if (scope.name === "ledge-cloud") spans.push(...some);
    response.setHeader("content-type", "application/json").end("{}");
  };
  const collector = createServer((request, response) => void collect(request, response));
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo;
  const preload = pathToFileURL(join(import.meta.dirname, "../../examples/tracing.mjs")).href;
  const before = { ...process.env };
  Object.assign(process.env, {
    NODE_OPTIONS: `--import=${preload}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: "200",
  });
  const cloud = await CloudProcess.start(folder.path);
  process.env = before;
  try {
    const token = await cloud.logIn("owner@example.org");
    const stranger = await cloud.logIn("stranger@example.org");
    const ask = async (kind: "command" | "query", fields: object, more: object = {}, by = token) => {
      const method = kind === "command" ? "PUT" : "POST";
      const answer = await cloud.call(method, `/graph/${kind}`, by, { [kind]: fields, ...more });
      return (await answer.json()) as { result: Record<string, unknown>; traceparent: string };
    };
    const listed = await ask("query", { type: "ListSubscriptionQuery" });
    const [{ subscriptionId }] = listed.result["data"] as [{ subscriptionId: string }];
    const place = { subscriptionId, resourceGroupName: "homes" };
    await ask("command", { type: "CreateResourceGroupCommand", subscriptionId, name: "homes" });
    const site = { type: "CreateResourceCommand", ...place, name: "villa", provider: "Vendor.Sites" };
    const { resource } = (await ask("command", site)).result as {
      resource: { properties: { siteId: string } };
    };
    const { siteId } = resource.properties;
    await ask("command", { type: "SubscribeSiteCommand", siteId, sessionId: "s" });
    const fetch = async (): Promise<string> =>
      (await cloud.call("POST", "/graph/push", token, { sessionId: "s", wait: 2 })).text();
    const pushed = (name: string): Promise<string> =>
      until(`the push of ${name}`, async () => [await fetch()].find((pushes) => pushes.includes(name)));

    const refusedId = "0af7651916cd43dd8448eb211c80319c";
    const add = (name: string) => ({
      type: "CreateEntitySiteCommand",
      siteId,
      entity: { type: "room", name },
    });
    const refused = { traceparent: `00-${refusedId}-00f067aa0ba902b7-01` };
    assert.ok((await ask("command", add("attic"), refused, stranger)).result["error"]);
    const unsampled = { traceparent: "00-b7ad6b7169203331a3ce929d0e0e4736-00f067aa0ba902b7-00" };
    assert.equal((await ask("command", add("cellar"), unsampled)).result["error"], undefined);
    await pushed("cellar");

    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const fetched = pushed("hall");
    const made = await ask("command", add("hall"), { traceparent });
    assert.match(await fetched, /EntitySitePush/);
    const found = await until("the push in the trace", () => {
      const own = spans.filter((span) => span.traceId === traceId);
      return Promise.resolve(own.some(({ name }) => name === "EntitySitePush") && own);
    });
    const [request, commit, push] = ["CreateEntitySiteCommand", "commit", "EntitySitePush"].map(
      (name) => found.find((span) => span.name === name) ?? assert.fail(name),
    ) as [Span, Span, Span];
    assert.equal(request.parentSpanId, "00f067aa0ba902b7");
    assert.deepEqual([commit.parentSpanId, push.parentSpanId], [request.spanId, request.spanId]);
    const ofRefused = spans.filter((span) => span.traceId === refusedId).map(({ name }) => name);
    assert.deepEqual(ofRefused, ["CreateEntitySiteCommand"], "a refused command brings about no push");
    assert.equal(made.traceparent, `00-${traceId}-${request.spanId}-01`, "the answer names its span");
  } finally {
    await cloud.kill();
    collector.close();
    collector.closeAllConnections();
  }
});
