import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { Flood, visit } from "@ledge/testkit/flood";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import type { HttpsState } from "../tls/https.ts";

/** More connections than may be open. */
const sockets = limits.connections + 500;
const calls = 30;

const folder = temporaryFolder();
let hub: HubProcess;
let authorization: string;
before(async () => {
  hub = await HubProcess.start(folder.path, "--profile", bareProfile(folder.path), "--https-port", "0");
  authorization = await hub.key();
});
after(async () => {
  await hub.kill();
  folder.remove();
});

/** Calls during a flood, over kept and new connections, with a key and without one. */
async function assertServed(address: string): Promise<void> {
  const withKey = { headers: { authorization } };
  const visits = await Promise.all([
    visit(`${address}/cc/1.14/hub/tz`, calls, { keepAlive: true, ...withKey }),
    visit(`${address}/cc/1.14/hub/tz`, calls, { keepAlive: false, ...withKey }),
    visit(`${address}/healthz`, calls, { keepAlive: true }),
    visit(`${address}/healthz`, calls, { keepAlive: false }),
  ]);
  for (const { failures } of visits) assert.deepEqual(failures, []);
  const files = readdirSync(`/proc/${hub.child.pid}/fd`).length;
  assert.ok(files <= limits.connections + limits.filesBeside, `${files} files are open`);
}

/** Floods while an action runs. */
async function flooded(
  address: string,
  what: "head" | "whole",
  meanwhile: () => Promise<void>,
): Promise<void> {
  const flood = await Flood.start(address, sockets, what);
  try {
    await meanwhile();
  } finally {
    const { opened, closed } = await flood.stop();
    assert.ok(opened >= sockets && closed > 0, `${opened} opened, ${closed} closed`);
  }
}

test("thousands of half requests from one address keep nobody out and cut nobody off", async () => {
  const streaming = await fetch(`${hub.address}/cc/1.14/events`, { headers: { authorization } });
  const stream = streaming.body?.getReader() ?? assert.fail();
  await stream.read();
  await flooded(hub.address, "head", () => assertServed(hub.address));
  await hub.call("PUT", "/rooms", authorization, [{ id: null, name: "Attic", order: 1 }]);
  let heard = "";
  while (!heard.includes("Attic")) {
    const { value, done } = await stream.read();
    assert.ok(!done, heard);
    heard += Buffer.from(value).toString();
  }
  await stream.cancel();
});

test("thousands of half TLS handshakes from one address keep nobody out and cut nobody off", async () => {
  const { stdout } = await ledge("status", "--json", "--data", folder.path);
  const address = (JSON.parse(stdout) as { https: HttpsState }).https.address ?? assert.fail();
  await flooded(address, "head", () => assertServed(address));
});

test("thousands of idle connections from one address keep nobody out", () =>
  flooded(hub.address, "whole", () => assertServed(hub.address)));

test("limits the connections of a user, and closes idle ones in favour of new ones", async () => {
  const beyond = 12;
  const url = `${hub.address}/cc/1.14/hub/tz`;
  const agents = Array.from(
    { length: limits.connectionsPerUser + beyond },
    () => new Agent({ keepAlive: true, maxSockets: 1 }),
  );
  const closed: Promise<unknown>[] = [];
  let left = 0;
  for (const agent of agents) {
    const outgoing = request(url, { agent, headers: { authorization } }).end();
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    left++;
    closed.push(once(answer.socket, "close").then(() => left--));
    answer.resume();
    await once(answer, "end");
  }
  await Promise.all(closed.slice(0, beyond));
  assert.equal(left, limits.connectionsPerUser);
  for (const agent of agents) agent.destroy();
});
