import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PhoneServer } from "@ledge/testkit/phones";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";
import { filesWith } from "../testdata/home.ts";

interface Shown {
  readonly id: string;
  readonly hasToken: boolean;
}

const folder = temporaryFolder();
const data = join(folder.path, "data");
let ntfy: PhoneServer;
let gotify: PhoneServer;
let matrix: PhoneServer;
let hub: HubProcess;
let key: string;

before(async () => {
  [ntfy, gotify, matrix] = await Promise.all([
    PhoneServer.start("ntfy"),
    PhoneServer.start("gotify"),
    PhoneServer.start("matrix"),
  ]);
  const profile = bareProfile(folder.path, {
    features: ["PN_MESSAGING"],
    adapters: { sim: { seed: 1 } },
    localTargets: true,
  });
  hub = await HubProcess.start(data, "--profile", profile);
  key = await hub.key();
  await hub.homeAnnounced(key);
});
after(async () => {
  await hub.stop();
  await Promise.all([ntfy, gotify, matrix].map((server) => server.kill()));
  folder.remove();
});

const put = (...targets: object[]) => hub.call("PUT", "/hub/messagetargets", key, targets);
const targets = async (): Promise<Record<string, Shown>> =>
  (await hub.call("GET", "/hub/messagetargets", key)).json as Record<string, Shown>;

test("an alarm of the hub reaches the phone, at a server that was away when that is back", async () => {
  const secret = "canary-of-a-target";
  for (const server of [ntfy, gotify, matrix]) server.token = secret;
  const { status, json } = await put(
    { kind: "ntfy", url: `${ntfy.url}/`, topic: "home", token: secret },
    { kind: "gotify", url: gotify.url, token: secret },
    { kind: "matrix", url: matrix.url, topic: "!room:example.org", token: secret, alarms: "err" },
  );
  assert.equal(status, 200, JSON.stringify(json));
  assert.ok(!JSON.stringify([json, await targets()]).includes(secret));
  for (const { id, hasToken } of json as Shown[]) {
    assert.equal(hasToken, true);
    await hub.done("POST", `/hub/messagetargets/test?targetId=${id}`, key);
  }
  for (const server of [ntfy, gotify, matrix])
    await server.message(({ text }) => text === "A test from Ledge: messages of this hub arrive here.");

  await gotify.kill();
  await hub.killAdapter();
  const alarm = await ntfy.message(({ text }) => text.startsWith("An adapter failed: The adapter sim "));
  assert.deepEqual([alarm.title, alarm.priority], ["Ledge", 4]);
  await gotify.restart();
  const late = await gotify.message(({ text }) => text.startsWith("An adapter failed"));
  assert.deepEqual([late.text, late.priority], [alarm.text, 5]);
  assert.equal(matrix.shown.length, 1, "it wants err alone");
  assert.deepEqual(filesWith(data, [secret]), []);
});

test("messages wait for a token that is mended, and go out at once then", async () => {
  const [id = ""] = Object.keys(await targets());
  const shown = ntfy.shown.length;
  ntfy.token = "another";
  await hub.done("POST", `/hub/messagetargets/test?targetId=${id}`, key);
  assert.equal(await ntfy.refusal(), 401);
  assert.equal(ntfy.shown.length, shown);
  await hub.done("PUT", "/hub/messagetargets", key, [{ id, token: "another" }]);
  await eventually("the message", async () => (ntfy.shown.length > shown ? true : undefined));
  assert.equal(ntfy.shown.length, shown + 1);
});

test("refuses targets that cannot be, and names the field", async () => {
  for (const [target, field] of [
    [{}, "kind"],
    [{ kind: "smoke", url: "http://a" }, "kind"],
    [{ kind: "ntfy", url: "http://a" }, "topic"],
    [{ kind: "ntfy", url: "http://a", topic: "a/b" }, "topic"],
    [{ kind: "ntfy", url: "ftp://a", topic: "a" }, "url"],
    [{ kind: "ntfy", url: "http://user:word@a", topic: "a" }, "url"],
    [{ kind: "gotify", url: "http://a" }, "token"],
    [{ kind: "gotify", url: "http://a", token: "a b" }, "token"],
    [{ kind: "gotify", url: "http://a", topic: "a", token: "t" }, "topic"],
    [{ kind: "matrix", url: "http://a", topic: "room", token: "t" }, "topic"],
    [{ kind: "ntfy", url: "http://a", topic: "a", user: "nobody" }, "user"],
  ] as const) {
    const { status, json } = await put(target);
    const { errors = [] } = json as { errors?: { field: string }[] };
    assert.ok(status === 422 || status === 404, JSON.stringify([target, json]));
    if (status === 422) assert.equal(errors[0]?.field, field, JSON.stringify([target, json]));
  }
  const [id = ""] = Object.keys(await targets());
  const moved = await put({ id, url: "http://192.0.2.1" });
  assert.match(JSON.stringify(moved.json), /must be given again for another server/);
  assert.equal((await hub.call("DELETE", "/hub/messagetargets?targetId=none", key)).status, 404);
  await hub.done("DELETE", `/hub/messagetargets?targetId=${id}`, key);
  assert.ok(!(id in (await targets())));
});
