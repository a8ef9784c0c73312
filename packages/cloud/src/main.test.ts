import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { limits } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { SMTPServer } from "smtp-server";
import { CloudProcess, spawned } from "./testdata/cloud-process.ts";

let folder: ReturnType<typeof temporaryFolder>;
const running: CloudProcess[] = [];
beforeEach(() => (folder = temporaryFolder()));
afterEach(async () => {
  for (const cloud of running.splice(0)) await cloud.kill();
  folder.remove();
});

async function start(...args: string[]): Promise<CloudProcess> {
  const cloud = await CloudProcess.start(join(folder.path, "data"), ...args);
  running.push(cloud);
  return cloud;
}

test("a user logs in with a mail from the folder, and the session survives a restart", async () => {
  const first = await start("--log", "debug");
  const asked = await fetch(`${first.address}/ui/0.2/user/requestlogin?email=ann@example.org`, {
    method: "POST",
  });
  assert.equal(await asked.text(), "null");
  const mails = join(folder.path, "data", "mail");
  const [name = "", ...more] = readdirSync(mails);
  assert.equal(more.length, 0);
  assert.equal(statSync(join(mails, name)).mode & 0o777, 0o600);
  const password = /password: (\w+)/.exec(readFileSync(join(mails, name), "utf8"))?.[1];
  const body = new URLSearchParams({ email: "ann@example.org", password: password ?? "" });
  const given = await fetch(`${first.address}/ui/0.2/user/emaillogin`, { method: "POST", body });
  assert.equal(given.status, 200);
  const token = await given.text();
  const { code, stdout, stderr } = await first.stop();
  assert.equal(code, 0);
  assert.ok(stdout.includes(mails), "prints where the mails are");
  for (const secret of [password ?? "", token, "ann@example.org"])
    assert.ok(!(stdout + stderr).includes(secret), "no secret and no address in the log");
  const second = await start();
  const me = await fetch(`${second.address}/ui/0.2/user`, { headers: { authorization: token } });
  assert.equal(((await me.json()) as { email: string }).email, "ann@example.org");
});

test("answers a pending request and hands over its mail before it shuts down", async (t) => {
  const taken = Promise.withResolvers<() => void>();
  let text = "";
  const sink = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _, done) =>
      username === "cloud" && password === "s3cret" ? done(null, { user: username }) : done(new Error("no")),
    allowInsecureAuth: true,
    onData: (stream, _, done) => {
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      stream.on("end", () => taken.resolve(() => done()));
    },
  });
  const listening = sink.listen(0, "127.0.0.1");
  t.after(() => sink.close());
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  const config = join(folder.path, "cloud.json");
  const at = { host: "127.0.0.1", port, security: "none", from: "cloud@example.org" };
  const mail = { ...at, user: "cloud", password: "s3cret" };
  writeFileSync(config, JSON.stringify({ address: "https://cloud.example", mail }), { mode: 0o600 });
  const { child, address, ended: over } = await start("--config", config, "--log", "debug");
  const asked = fetch(`${address}/ui/0.2/user/requestlogin?email=ann@example.org`, { method: "POST" });
  const acknowledge = await taken.promise;
  child.kill("SIGTERM");
  // The port closes to new callers while the request is still pending.
  await refused(address);
  acknowledge();
  assert.equal(await (await asked).text(), "null");
  const { code, stdout, stderr } = await over;
  assert.equal(code, 0, stderr);
  const password = /password: (\w{6})/.exec(text)?.[1] ?? assert.fail(text);
  for (const secret of [password, "s3cret"]) assert.ok(!(stdout + stderr).includes(secret));
});

test("answers a fetch that waits for pushes before it shuts down, and keeps nothing of its session", async () => {
  const cloud = await start();
  const { address, folder: data } = cloud;
  await fetch(`${address}/ui/0.2/user/requestlogin?email=ann@example.org`, { method: "POST" });
  const [mail = ""] = readdirSync(join(data, "mail"));
  const password = /password: (\w+)/.exec(readFileSync(join(data, "mail", mail), "utf8"))?.[1] ?? "";
  const body = new URLSearchParams({ email: "ann@example.org", password });
  const token = await (await fetch(`${address}/ui/0.2/user/emaillogin`, { method: "POST", body })).text();
  const response = await fetch(`${address}/graph/push`, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/json" },
    body: JSON.stringify({ sessionId: "phone", wait: limits.fetchWaitMaxS }),
  });
  // The answer has begun with a heartbeat.
  const stopped = cloud.stop();
  const pushes = (await response.json()) as { push: { type: string } }[];
  assert.deepEqual(
    pushes.map(({ push }) => push.type),
    ["HeartbeatPush"],
  );
  assert.equal((await stopped).code, 0);
});

/** Resolves when nothing listens at an address any more. */
async function refused(address: string): Promise<void> {
  try {
    await (await fetch(`${address}/healthz`)).text();
  } catch {
    return;
  }
  return refused(address);
}

test("refuses a folder or a port that another process uses", async () => {
  await start();
  const twice = await spawned("cloud", "--data", join(folder.path, "data"), "--port", "0").ended;
  assert.deepEqual([twice.code, /another process/.test(twice.stderr)], [75, true]);
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const taken = await spawned("cloud", "--data", join(folder.path, "other"), "--port", String(port)).ended;
  other.close();
  assert.deepEqual([taken.code, /EADDRINUSE/.test(taken.stderr)], [69, true]);
  assert.deepEqual(readdirSync(folder.path), ["data"], "creates no folder");
});

test("explains invalid flags and settings", async () => {
  const config = join(folder.path, "cloud.json");
  const mail = { host: "localhost", port: 25, security: "none", from: "a@b.c", password: "p" };
  for (const [args, said] of [
    [["--port", "x"], /--port takes a port/],
    [["--port", "65536"], /--port takes a port/],
    [["--log", "loud"], /is not a log level/],
    [["--nope"], /nope/],
    [["--config", join(folder.path, "none")], /ENOENT/],
    ["{", /cloud\.json: .*JSON/],
    [JSON.stringify({ mail: { ...mail, port: "25" } }), /mail\.port must be integer/],
    [JSON.stringify({ adress: "http://x" }), /cloud\.json: /],
    [JSON.stringify({ trustedProxies: ["proxy.example"] }), /cloud\.json: proxy\.example is not the address/],
    [
      JSON.stringify({ egress: { networks: ["10.0.0.0/33"] } }),
      /cloud\.json: 10\.0\.0\.0\/33 is not the address/,
    ],
    [JSON.stringify({ egress: { networks: [] } }), /cloud\.json: egress\.networks/],
    [JSON.stringify({ mail }), /open to others/],
  ] as const) {
    if (typeof args === "string") {
      writeFileSync(config, args);
      chmodSync(config, 0o644);
    }
    const { code, stderr } = await spawned(
      "cloud",
      ...(typeof args === "string" ? ["--config", config] : args),
    ).ended;
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
  }
});
