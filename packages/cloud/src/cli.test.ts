import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { restoreBackup } from "@ledge/host/backup/restore";
import { dialTunnel } from "@ledge/link/tunnel";
import { features, limits, roles } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { TestTunnel } from "./relay/test-relay.ts";
import { cloudSubject } from "./folder/backup-subject.ts";
import { TestHub } from "./testdata/open-cloud.ts";
import { CloudProcess, type Finished, spawned } from "./testdata/cloud-process.ts";

const root = temporaryFolder();
const at = (name: string): string => join(root.path, name);
const folder = at("cloud");
const data = ["--data", folder];
const sealing = ["--passphrase-file", at("passphrase")];
const owner = "owner@example.org";
let cloud: CloudProcess;
let hub: TestHub;
let hubToken: string;

before(async () => {
  writeFileSync(at("passphrase"), "correct horse battery\n");
  cloud = await CloudProcess.start(folder);
  hub = await TestHub.make();
  hubToken = await cloud.connect(hub, [features.REMOTE_USAGE]);
  assert.equal((await cloud.call("POST", "/hub/claim", hubToken, { email: owner })).status, 200);
});

after(async () => {
  await cloud.kill();
  root.remove();
});

const cli = (...args: string[]): Promise<Finished> => spawned("ledge-cloud", ...args).ended;

/** Returns what a command prints with `--json`; the command must succeed. */
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await cli(...args, "--json", ...data);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}

async function idOf(email: string): Promise<string> {
  const users = await json<{ id: string; email: string }[]>("users");
  return users.find((user) => user.email === email)?.id ?? assert.fail(`no ${email}`);
}

test("the help names every command, and invalid arguments give exit code 2", async () => {
  const { stdout } = await cli("--help");
  for (const words of [
    "users forget",
    "sessions end",
    "hubs release",
    "keys rotate",
    "feature-code",
    "restore",
  ])
    assert.ok(stdout.includes(`\n  ${words} `), words);
  for (const args of [
    ["dance"],
    ["users", "surplus"],
    ["users", "forget"],
    ["hubs", "release"],
    ["tenants", "create"],
    ["registers", "show"],
    ["share", "show", "a", "b"],
    ["tenants", "create", "Acme"],
    ["tenants", "create", "Acme", "surplus", "--owner", "x"],
    ["clients", "create", "Pump", "--tenant", "x"],
    ["clients", "create", "--tenant", "x", "--scopes", "openid"],
    ["clients", "create", "Pump", "--tenant", "x", "--scopes", "openid", "--key", at("nowhere")],
    ["clients", "rotate"],
    ["clients", "delete", "a", "b"],
    ["egress", "site", "surplus"],
    ["egress", "dead-letters", "site"],
    ["egress", "replay"],
    ["egress", "replay", "site", "target", "batch", "surplus"],
    ["feature-code", "--hub", "x"],
    ["feature-code", "--hub", "x", "--feature", "NONE"],
    ["backup", at("never"), "--without-secrets"],
    ["backup", at("never")],
  ]) {
    const { code, stdout: said, stderr } = await cli(...args, ...data);
    assert.deepEqual([code, said, stderr.startsWith("ledge-cloud: ")], [2, "", true], args.join(" "));
  }
  const nowhere = await cli("users", "--data", at("nowhere"));
  assert.deepEqual([nowhere.code, /no cloud has run/.test(nowhere.stderr)], [4, true]);
});

test("creates a tenant for an account that exists, and lists it with its sites and registers", async () => {
  for (const args of [
    ["Acme", "--owner", "nobody@example.org"],
    ["", "--owner", owner],
    ["x".repeat(limits.displayNameChars + 1), "--owner", owner],
  ])
    assert.equal((await cli("tenants", "create", ...args, ...data)).code, 3, args.join(" "));
  const made = await json<{ id: string; owner: string }>("tenants", "create", "Acme", "--owner", owner);
  assert.equal(made.owner, await idOf(owner));
  const token = await cloud.logIn(owner);
  const send = async (type: string, fields: object): Promise<Record<string, unknown>> => {
    const reply = await cloud.call("PUT", "/graph/command", token, { command: { type, ...fields } });
    const { result } = (await reply.json()) as { result: Record<string, unknown> };
    assert.equal(result["error"], undefined, JSON.stringify(result));
    return result;
  };
  const created = await send("CreateSubscriptionCommand", { tenantId: made.id, displayName: "Offices" });
  const { subscriptionId } = created["subscription"] as { subscriptionId: string };
  const resourceGroupName = "turku";
  await send("CreateResourceGroupCommand", { subscriptionId, name: resourceGroupName });
  const site = { name: "Harbour", provider: "Vendor.Sites" };
  const { resource } = await send("CreateResourceCommand", { subscriptionId, resourceGroupName, ...site });
  const { id, properties } = resource as { id: string; properties: { siteId: string } };
  assert.deepEqual(await json("tenants"), [
    { id: made.id, displayName: "Acme", personal: false, owners: [made.owner], roles: 1, subscriptions: 1 },
  ]);
  assert.deepEqual(await json("sites"), [
    { siteId: properties.siteId, displayName: "Harbour", tenantId: made.id, resourceId: id, entities: 0 },
  ]);
  const { stdout } = await cli("tenants", ...data);
  assert.match(stdout, /NAME +PERSONAL/);
  const meters = { name: "Meters", provider: "Vendor.DeviceRegister" };
  const made2 = await send("CreateResourceCommand", { subscriptionId, resourceGroupName, ...meters });
  const register = made2["resource"] as { id: string; properties: { registerId: string } };
  const { registerId } = register.properties;
  const device = { id: "meter", name: "Meter", type: "METER" };
  await send("AddDeviceDeviceRegisterCommand", { deviceRegisterId: registerId, device });
  await send("RegisterHubDeviceRegisterCommand", {
    deviceRegisterId: registerId,
    hub: { serialNumber: hub.id },
  });
  const shown = {
    deviceRegisterId: registerId,
    displayName: "Meters",
    tenantId: made.id,
    resourceId: register.id,
    devices: 1,
    gateways: [hub.id],
  };
  assert.deepEqual(await json("registers"), [shown]);
  assert.deepEqual(await json("registers", "show", registerId), shown);
  assert.match((await cli("registers", "show", registerId, ...data)).stdout, /gateways +[0-9a-f-]{36}/);
  const shares = await json<{ hubId: string; share: unknown; registers: string[] }[]>("share");
  const own = shares.find(({ hubId }) => hubId === hub.id);
  assert.deepEqual([own?.share, own?.registers], [null, [registerId]]);
  assert.deepEqual(await json("share", "show", hub.id), own);
  assert.match((await cli("share", ...data)).stdout, /SHARES +REGISTERS/);
  for (const words of ["registers", "share"])
    assert.equal((await cli(words, "show", "none", ...data)).code, 3);
});

test("makes, lists, rotates and deletes a client, which gets tokens meanwhile", async () => {
  await cloud.logIn(owner);
  const wrong = [
    ["--tenant", "nobody", "--scopes", "devices.read"],
    ["--tenant", owner, "--scopes", "devices.write"],
    ["--tenant", owner, "--scopes", "openid", "--public"],
    ["--tenant", owner, "--scopes", "openid", "--redirect", "http://app.example/"],
  ];
  for (const args of wrong)
    assert.equal((await cli("clients", "create", "Pump", ...args, ...data)).code, 3, args.join(" "));
  const about = ["--tenant", owner, "--scopes", "devices.read platform.read"];
  const made = await json<{ clientId: string; clientSecret: string }>("clients", "create", "Pump", ...about);
  const ask = async (client_secret: string): Promise<number> => {
    const form = { client_id: made.clientId, client_secret, grant_type: "client_credentials" };
    const asked = { method: "POST", body: new URLSearchParams({ ...form, scope: "devices.read" }) };
    return (await fetch(`${cloud.address}/oauth2/token`, asked)).status;
  };
  assert.equal(await ask(made.clientSecret), 200);
  const [listed] = await json<{ createdAt: number }[]>("clients");
  const { createdAt = 0, ...rest } = listed ?? {};
  assert.ok(createdAt > 0);
  const tenantId = await idOf(owner);
  const scopes = ["devices.read", "platform.read"];
  const { clientId } = made;
  assert.deepEqual(rest, { clientId, name: "Pump", tenantId, auth: "secret", scopes, redirectUris: [] });
  assert.match((await cli("clients", ...data)).stdout, /PROOF/);
  const next = await json<{ clientSecret: string }>("clients", "rotate", clientId);
  assert.deepEqual(
    [await ask(made.clientSecret), await ask(next.clientSecret), await ask("x")],
    [200, 200, 401],
  );
  const said = (await cli("clients", "rotate", clientId, ...data)).stdout;
  assert.match(said, /secret: [\w-]{43}/);
  assert.equal(await json("clients", "delete", clientId), true);
  assert.equal((await cli("clients", "delete", clientId, ...data)).code, 3);
  assert.equal(await ask(next.clientSecret), 401);
  assert.deepEqual(await json("clients"), []);
});

test("ending all sessions also removes the fixed password, which a thief may have set", async () => {
  const email = "cara@example.org";
  const password = "correct horse battery staple";
  const token = await cloud.logIn(email);
  const logIn = async (): Promise<number> =>
    (await cloud.call("POST", "/ui/0.2/user/login", undefined, { email, password })).status;
  assert.equal((await cloud.call("PUT", "/ui/0.2/user/password", token, { password })).status, 200);
  assert.equal(await logIn(), 200);
  assert.deepEqual(await json("sessions", "end", email), { ended: 2 });
  assert.equal(await logIn(), 401);
});

test("lists users and their sessions, and ends sessions and forgets users", async () => {
  const [ann, bob] = ["ann@example.org", "bob@example.org"];
  const tokens = [await cloud.logIn(ann), await cloud.logIn(ann), await cloud.logIn(bob)];
  const [first = "", second = "", third = ""] = tokens;
  const me = async (token: string): Promise<number> =>
    (await cloud.call("GET", "/ui/0.2/user", token)).status;
  const held = await json<{ id: string; expires: number }[]>("sessions", ann);
  assert.equal(held.length, 2);
  assert.match((await cli("users", ...data)).stdout, /ann@example\.org +ann +yes +0 +2\n/);
  assert.deepEqual(await json("sessions", "end", ann, "--session", held[0]?.id ?? ""), { ended: 1 });
  assert.deepEqual([await me(first), await me(second)], [401, 200]);
  assert.equal((await cli("sessions", "end", ann, "--session", "none", ...data)).code, 3);
  assert.deepEqual(await json("sessions", "end", await idOf(ann)), { ended: 1 });
  assert.deepEqual([await me(second), await me(third)], [401, 200]);
  assert.match((await cli("users", "forget", bob, ...data)).stdout, /is forgotten/);
  assert.equal(await me(third), 401);
  assert.equal((await cli("users", "forget", bob, ...data)).code, 3);
  const owning = await cli("users", "forget", owner, ...data);
  assert.deepEqual([owning.code, /owner/.test(owning.stderr)], [3, true], owning.stderr);
});

test("lists, releases and removes hubs; a removed hub loses its tunnel", async () => {
  const other = await TestHub.make();
  const token = await cloud.connect(other, []);
  const claim = await cloud.call("POST", "/hub/claim", token, { email: owner });
  assert.equal(claim.status, 200);
  const signal = AbortSignal.timeout(30_000);
  const dialled = { url: cloud.address, token, transport: "upgrade", signal } as const;
  const tunnel = new TestTunnel(await dialTunnel(dialled), (stream) =>
    stream.respond({ ":status": 200 }, { endStream: true }),
  );
  await tunnel.opened;
  const listed = async (): Promise<object | undefined> => {
    const found = await json<{ hubId: string; connected: boolean; users: number }[]>("hubs");
    const { connected, users } = found.find(({ hubId }) => hubId === other.id) ?? {};
    return { connected, users };
  };
  assert.deepEqual(await listed(), { connected: true, users: 1 });
  const early = await cli("hubs", "remove", other.id, ...data);
  assert.deepEqual([early.code, /release it first/.test(early.stderr)], [3, true]);
  assert.equal((await cli("hubs", "release", other.id, ...data)).code, 0);
  assert.deepEqual(await listed(), { connected: true, users: 0 });
  const over = new Promise((resolve) => tunnel.duplex.once("close", resolve));
  assert.equal((await cli("hubs", "remove", other.id, ...data)).code, 0);
  await over;
  assert.deepEqual(await listed(), { connected: undefined, users: undefined });
  assert.equal((await cli("hubs", "remove", other.id, ...data)).code, 3);
});

test("lists, rotates and withdraws keys, and makes an activation code for one hub", async () => {
  interface Key {
    readonly kid: string;
    readonly from: number;
    readonly signs: boolean;
  }
  const [first] = await json<Key[]>("keys");
  const next = await json<Key>("keys", "rotate");
  assert.deepEqual(
    (await json<Key[]>("keys")).map(({ kid, signs }) => [kid, signs]),
    [
      [first?.kid, true],
      [next.kid, false],
    ],
  );
  const urgent = await json<Key>("keys", "rotate", "--urgent");
  const signing = (await json<Key[]>("keys")).filter(({ signs }) => signs);
  assert.deepEqual(
    signing.map(({ kid }) => kid),
    [urgent.kid],
  );
  assert.equal((await cli("keys", "withdraw", urgent.kid, ...data)).code, 3);
  assert.equal((await cli("keys", "withdraw", ...data)).code, 2);
  const published = (await (await cloud.call("GET", "/.well-known/jwks.json")).json()) as { keys: object[] };
  assert.equal(published.keys.length, 3);
  assert.equal((await cli("keys", "withdraw", first?.kid ?? "", ...data)).code, 0);
  const left = (await (await cloud.call("GET", "/.well-known/jwks.json")).json()) as { keys: object[] };
  assert.equal(left.keys.length, 2);

  const wanted = ["--hub", hub.id, "--feature", "REMOTE_USAGE", "--feature", "15"];
  const { code } = await json<{ code: string }>("feature-code", ...wanted);
  assert.match(code, /^[A-Z2-7-]+$/);
  assert.equal((await cli("feature-code", "--hub", "none", "--feature", "5", ...data)).code, 3);
  assert.match((await cli("status", ...data)).stdout, /ledge-cloud, release [^]*kernel +serving/);
});

interface List {
  readonly seq: number;
  readonly users: readonly { readonly email: string }[];
}

/** Returns the authorization list as a hub gets it. */
async function listOf(from: CloudProcess, token: string): Promise<List> {
  const jws = await (await from.call("GET", "/hub/authorizations", token)).text();
  return JSON.parse(Buffer.from(jws.split(".")[1] ?? "", "base64url").toString()) as List;
}

test("backs up a running and a stopped cloud; a restore logs everybody out and reuses no list number", async () => {
  const guest = { hubId: hub.id, email: "guest@example.org" };
  const token = await cloud.logIn(owner);
  const hubKey = (await cloud.hubKeys(token))[hub.id] ?? assert.fail("no key");
  await cloud.logIn("eve@example.org");
  const eve = await idOf("eve@example.org");
  const made = await json<{ issuer: string; secrets: string }>("backup", at("a.ledge"), ...sealing);
  assert.deepEqual([made.issuer, made.secrets], ["ledge-cloud", "sealed"]);
  assert.equal(statSync(at("a.ledge")).mode & 0o777, 0o600);
  for (const secret of [owner, "s3cret"])
    assert.ok(
      !readFileSync(at("a.ledge"), "latin1").includes(secret),
      "secrets are unreadable without the passphrase",
    );
  assert.match((await cli("verify", at("a.ledge"))).stdout, /whole/);
  assert.match((await cli("verify", ...data)).stdout, /whole/);

  // Changes after the backup, which the restore loses.
  const invite = { ...guest, role: roles.GUEST };
  assert.equal((await cloud.call("POST", "/ui/0.2/user/invite", token, invite)).status, 200);
  const guestToken = await cloud.logIn(guest.email);
  const { hubId } = guest;
  assert.equal((await cloud.call("POST", "/ui/0.2/user/invitation", guestToken, { hubId })).status, 200);
  const since = await listOf(cloud, hubToken);
  assert.deepEqual(since.users.map(({ email }) => email).toSorted(), [guest.email, owner]);
  await cli("users", "forget", eve, ...data);
  const running = await cli("restore", at("a.ledge"), ...sealing, "--force", ...data);
  assert.deepEqual([running.code, /another process/.test(running.stderr)], [3, true]);
  await cloud.stop();
  assert.equal((await cli("backup", at("b.ledge"), ...sealing, ...data)).code, 0);
  assert.equal((await cli("restore", at("a.ledge"), ...sealing, ...data)).code, 3, "the folder is in use");
  const restored = await cli("restore", at("a.ledge"), ...sealing, "--force", ...data);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /the states are those[^]*All users are logged out/);

  cloud = await CloudProcess.start(folder);
  assert.equal((await cloud.call("GET", "/ui/0.2/user", token)).status, 401);
  const again = await cloud.logIn(owner);
  assert.ok((await cloud.hubKeys(again))[hub.id]);
  assert.equal((await cloud.call("GET", "/relay/hub", again)).status, 401);
  hubToken = await cloud.connect(hub, [features.REMOTE_USAGE]);
  const headers = { authorization: again, "x-hub-key": hubKey };
  assert.equal(
    (await fetch(`${cloud.address}/relay/hub`, { headers })).status,
    408,
    "old HubKeys stay valid",
  );
  const now = await listOf(cloud, hubToken);
  assert.deepEqual(
    now.users.map(({ email }) => email),
    [owner],
  );
  assert.ok(now.seq > since.seq + 1000, "the hub accepts it as newer than any before");
  assert.ok(
    !(await json<{ id: string }[]>("users")).some(({ id }) => id === eve),
    "a forgotten account stays forgotten",
  );
});

test("refuses a backup that is damaged, or of something else, and a folder with another issuer", async () => {
  const options = { file: at("b.ledge"), folder: at("other"), passphrase: undefined, force: false, now: 1 };
  await assert.rejects(restoreBackup({ subject: { ...cloudSubject, kind: "hub" }, ...options }), {
    problem: "foreign",
  });
  writeFileSync(at("torn.ledge"), readFileSync(at("b.ledge")).subarray(0, -40));
  assert.equal((await cli("verify", at("torn.ledge"))).code, 5);
  assert.equal((await cli("restore", at("torn.ledge"), ...sealing, "--data", at("other"))).code, 5);
  assert.equal((await cli("restore", at("b.ledge"), ...sealing, "--data", at("other"))).code, 0);
  const config = at("cloud.json");
  writeFileSync(config, JSON.stringify({ address: "https://elsewhere.example" }));
  const { code, stderr } = await spawned("cloud", "--data", at("other"), "--port", "0", "--config", config)
    .ended;
  assert.deepEqual(
    [code, /signs as ledge-cloud, and its hubs trust that name/.test(stderr)],
    [70, true],
    stderr,
  );
});

test("refuses to start with an empty log in a folder where a cloud has run", async () => {
  const gone = at("gone");
  mkdirSync(gone, { mode: 0o700 });
  writeFileSync(join(gone, "cloud.json"), '{"issuer":"ledge-cloud"}');
  const started = await spawned("cloud", "--data", gone, "--port", "0").ended;
  assert.deepEqual([started.code, /restore a backup/.test(started.stderr)], [70, true], started.stderr);
  const walked = await cli("verify", "--data", gone);
  assert.deepEqual([walked.code, /restore a backup/.test(walked.stdout)], [5, true], walked.stdout);
});
