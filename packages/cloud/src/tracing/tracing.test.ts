import assert from "node:assert/strict";
import { after, test } from "node:test";
import { temporaryFolder, until } from "@ledge/testkit";
import { CloudProcess } from "../testdata/cloud-process.ts";
import { type CollectedSpan, TraceCollector } from "../testdata/trace-collector.ts";

const folder = temporaryFolder();
after(() => folder.remove());

test("a collector gets a request, its commit and the push that it brings about as one trace", async () => {
  const collector = await TraceCollector.start();
  const { spans } = collector;
  const cloud = await collector.traced("cloud", () => CloudProcess.start(folder.path));
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
    ) as [CollectedSpan, CollectedSpan, CollectedSpan];
    assert.equal(request.parentSpanId, "00f067aa0ba902b7");
    assert.deepEqual([commit.parentSpanId, push.parentSpanId], [request.spanId, request.spanId]);
    const ofRefused = spans.filter((span) => span.traceId === refusedId).map(({ name }) => name);
    assert.deepEqual(ofRefused, ["CreateEntitySiteCommand"], "a refused command brings about no push");
    assert.equal(made.traceparent, `00-${traceId}-${request.spanId}-01`, "the answer names its span");
  } finally {
    await cloud.kill();
    collector.stop();
  }
});
