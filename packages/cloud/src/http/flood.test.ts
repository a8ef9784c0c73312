import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dialTunnel } from "@ledge/link/tunnel";
import { features, limits } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { Flood, visit } from "@ledge/testkit/flood";
import { TestTunnel } from "../relay/test-relay.ts";
import { TestHub } from "../testdata/open-cloud.ts";
import { CloudProcess } from "../testdata/cloud-process.ts";

const sockets = limits.connections + 500;
const calls = 30;

test("thousands of half-open requests from one address do not lock others out or end tunnels", async (t) => {
  const folder = temporaryFolder();
  const cloud = await CloudProcess.start(folder.path);
  t.after(async () => {
    await cloud.kill();
    folder.remove();
  });
  const hub = await TestHub.make();
  const hubToken = await cloud.connect(hub, [features.REMOTE_USAGE]);
  assert.equal((await cloud.call("POST", "/hub/claim", hubToken, { email: "ada@example.org" })).status, 200);
  const token = await cloud.logIn("ada@example.org");
  const hubKey = (await cloud.hubKeys(token))[hub.id] ?? assert.fail();
  const signal = AbortSignal.timeout(60_000);
  const duplex = await dialTunnel({ url: cloud.address, token: hubToken, transport: "upgrade", signal });
  const tunnel = new TestTunnel(duplex, (stream) => {
    stream.respond({ ":status": 200, "content-length": 2 });
    stream.end("ok");
  });
  await tunnel.opened;
  const flood = await Flood.start(cloud.address, sockets);
  try {
    const headers = { authorization: token };
    const visits = await Promise.all([
      visit(`${cloud.address}/ui/0.2/user`, calls, { keepAlive: true, headers }),
      visit(`${cloud.address}/ui/0.2/user`, calls, { keepAlive: false, headers }),
      visit(`${cloud.address}/healthz`, calls, { keepAlive: false }),
      visit(`${cloud.address}/relay/hub`, calls, {
        keepAlive: true,
        headers: { ...headers, "x-hub-key": hubKey },
      }),
    ]);
    for (const { failures } of visits) assert.deepEqual(failures, []);
    assert.equal(duplex.destroyed, false);
  } finally {
    const { opened, closed } = await flood.stop();
    assert.ok(opened >= sockets && closed > 0, `${opened} opened, ${closed} closed`);
  }
  tunnel.kill();
});

test("a trusted proxy may have more connections than other addresses", async (t) => {
  const folder = temporaryFolder();
  const config = join(folder.path, "cloud.json");
  writeFileSync(config, JSON.stringify({ trustedProxies: ["127.0.0.1"] }));
  const cloud = await CloudProcess.start(join(folder.path, "data"), "--config", config);
  t.after(async () => {
    await cloud.kill();
    folder.remove();
  });
  const flood = await Flood.start(cloud.address, limits.connectionsPerAddress + 100, "whole");
  const began = performance.now();
  // A connection counts for its address only after this time.
  while (performance.now() < began + 3 * limits.headGraceMs)
    await visit(`${cloud.address}/nothing`, 10, { keepAlive: false, status: 404 });
  const { closed } = await flood.stop();
  assert.equal(closed, 0);
});
