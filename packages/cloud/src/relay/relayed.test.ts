import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterEach, beforeEach, test } from "node:test";
import { dialTunnel, type Transport } from "@ledge/link/tunnel";
import { features, roles } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { TestTunnel } from "./test-relay.ts";
import { TestHub } from "../testdata/open-cloud.ts";
import { CloudProcess } from "../testdata/cloud-process.ts";

let folder: ReturnType<typeof temporaryFolder>;
let cloud: CloudProcess;
let hub: TestHub;
let hubToken: string;
/** List numbers that the cloud announced to the hub. */
const announced: number[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  cloud = await CloudProcess.start(folder.path);
  hub = await TestHub.make();
  hubToken = await cloud.connect(hub, [features.REMOTE_USAGE]);
  announced.length = 0;
});
afterEach(async () => {
  await cloud.kill();
  folder.remove();
});

/** Dials as the hub, which answers every request with its method, path and body, after `answering`. */
async function dial(
  transport: Transport = "upgrade",
  answering: () => Promise<void> = () => Promise.resolve(),
): Promise<TestTunnel> {
  const signal = AbortSignal.timeout(30_000);
  const duplex = await dialTunnel({ url: cloud.address, token: hubToken, transport, signal });
  const tunnel = new TestTunnel(duplex, (stream, headers) => {
    let body = "";
    stream.on("data", (chunk: Buffer) => (body += chunk.toString()));
    const answer = (): void => {
      stream.respond({ ":status": 200, "content-type": "application/json" });
      stream.end(JSON.stringify({ asked: `${headers[":method"]} ${headers[":path"]}`, body }));
    };
    stream.once("end", () => {
      if (headers[":path"] === "/.ledge/authorizations")
        announced.push((JSON.parse(body) as { seq: number }).seq);
      void answering().then(answer);
    });
  });
  await tunnel.opened;
  return tunnel;
}

async function claimed(email: string): Promise<{ token: string; hubKey: string }> {
  const claim = await cloud.call("POST", "/hub/claim", hubToken, { email });
  assert.equal(claim.status, 200);
  const token = await cloud.logIn(email);
  return { token, hubKey: (await cloud.hubKeys(token))[hub.id] ?? assert.fail("no key") };
}

function relayed(
  path: string,
  { token, hubKey }: { token: string; hubKey: string },
  init: RequestInit = {},
): Promise<Response> {
  const headers = { authorization: token, "x-hub-key": hubKey };
  return fetch(cloud.address + path, { ...init, headers });
}

for (const transport of ["upgrade", "websocket"] as const) {
  test(`reaches a hub that has dialled by ${transport} at every path of the relay`, async () => {
    const owner = await claimed("owner@example.org");
    assert.equal((await relayed("/relay/hub", owner)).status, 408);
    const tunnel = await dial(transport);
    for (const prefix of [
      "/relay",
      "/ui/0.2/hub/remote",
      `/ui/0.2/hub/${hub.id}/remote`,
      "/legacy/ui/0.2/hub/remote",
    ]) {
      const answer = await relayed(`${prefix}/hub`, owner);
      assert.deepEqual([answer.status, await answer.json()], [200, { asked: "GET /hub", body: "" }]);
      const body = '{"name":"Cabin"}';
      const put = await relayed(`${prefix}/cc/1.14/hub/name?x=1`, owner, { method: "PUT", body });
      assert.deepEqual(await put.json(), { asked: "PUT /cc/1.14/hub/name?x=1", body });
    }
    assert.equal((await fetch(`${cloud.address}/relay/hub`)).status, 401);
    assert.equal((await fetch(`${cloud.address}/healthz`)).status, 200);
    tunnel.kill();
  });
}

test("tells a hub each change of its list at once, and refuses a revoked user at once", async () => {
  const owner = await claimed("owner@example.org");
  await dial();
  const guest = { hubId: hub.id, email: "guest@example.org" };
  const invite = { ...guest, role: roles.REMOTE_GUEST };
  assert.equal((await cloud.call("POST", "/ui/0.2/user/invite", owner.token, invite)).status, 200);
  const token = await cloud.logIn(guest.email);
  assert.equal((await cloud.call("POST", "/ui/0.2/user/invitation", token, { hubId: hub.id })).status, 200);
  const hubKey = (await cloud.hubKeys(token))[hub.id] ?? assert.fail("no key");
  assert.equal((await relayed("/relay/hub", { token, hubKey })).status, 200);
  const revoked = await cloud.call("DELETE", "/ui/0.2/user/authorization", owner.token, guest);
  assert.equal(revoked.status, 200);
  assert.equal((await relayed("/relay/hub", { token, hubKey })).status, 401);
  while (announced.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.ok((announced[1] ?? 0) > (announced[0] ?? 0), "the number grows");
});

test("says goodbye to hubs, answers pending requests and ends on SIGTERM", async () => {
  const owner = await claimed("owner@example.org");
  const asked = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  const tunnel = await dial("upgrade", () => {
    asked.resolve();
    return hold.promise;
  });
  const answer = relayed("/relay/cc/1.14/slow", owner);
  await asked.promise;
  cloud.child.kill("SIGTERM");
  await tunnel.goodbye;
  hold.resolve();
  assert.equal((await answer).status, 200);
  const { code, stderr } = await cloud.ended;
  assert.equal(code, 0, stderr);
});

test("refuses an upgrade without a hub's token or on another path", async () => {
  const upgrade = async (path: string, token: string): Promise<number | undefined> => {
    const headers = { connection: "Upgrade", upgrade: "ledge-tunnel/1", authorization: `Bearer ${token}` };
    const request = httpRequest(cloud.address + path, { headers, agent: false });
    request.end();
    const [response] = (await once(request, "response")) as [{ statusCode?: number; resume(): void }];
    response.resume();
    return response.statusCode;
  };
  assert.equal(await upgrade("/hub/tunnel", "nobody"), 401);
  assert.equal(await upgrade("/relay/hub", hubToken), 404);
});
