import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { socketConsole } from "@ledge/host/cli/client";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const root = temporaryFolder();
const home = join(root.path, "home");
const profile = bareProfile(root.path);
const data = ["--data", home];
const file = join(home, "identity-key.json");
const [backup, passphrase] = [join(root.path, "home.ledge"), join(root.path, "passphrase")];
let cloud: SimulatedCloud;
let intact: Buffer;
let strange: string;

before(async () => {
  cloud = await SimulatedCloud.open();
  const hub = await start();
  await hub.key();
  await eventually("the cloud", async () => ((await status()).cloud.connected ? true : undefined));
  writeFileSync(passphrase, "correct horse battery\n");
  assert.equal((await ledge("backup", backup, "--passphrase-file", passphrase, ...data)).code, 0);
  await hub.stop();
  intact = readFileSync(file);
  const other = join(root.path, "other");
  await (await HubProcess.start(other, "--profile", profile)).stop();
  strange = readFileSync(join(other, "identity-key.json"), "utf8");
});

after(async () => {
  await cloud.close();
  root.remove();
});

function start(): Promise<HubProcess> {
  return HubProcess.startAt(cloud, home, "--profile", profile);
}

interface Status {
  readonly cloud: { readonly connected: boolean };
  readonly identity: { readonly fingerprint: string | null; readonly problem: string | null };
}

async function status(): Promise<Status> {
  return (await socketConsole(home).call("GET", "/cc/1.14/console/status")).json as Status;
}

/** Whether the alarm about the lost identity key is open; undefined when it was never raised. */
async function isAlarmed(): Promise<boolean | undefined> {
  const { json } = await socketConsole(home).call("GET", "/cc/1.14/alarms");
  const alarms = Object.values(json as Record<string, { kind: string; closed: boolean }>);
  const found = alarms.find(({ kind }) => kind === "IDENTITY_LOST");
  return found === undefined ? undefined : !found.closed;
}

const losses: Readonly<Record<string, [lose: () => void, problem: RegExp]>> = {
  gone: [() => rmSync(file), /is missing/],
  empty: [() => writeFileSync(file, ""), /holds no key/],
  cut: [() => writeFileSync(file, intact.subarray(0, 100)), /holds no key/],
  "another hub's": [() => writeFileSync(file, strange), /is not this hub's/],
};

for (const [how, [lose, problem]] of Object.entries(losses)) {
  test(`a hub whose identity key is ${how} keeps the file, serves, raises an alarm and leaves its cloud`, async () => {
    lose();
    const left = existsSync(file) ? readFileSync(file) : undefined;
    const stopped = await ledge("doctor", ...data);
    assert.equal(stopped.code, 1);
    assert.match(stopped.stdout, new RegExp(`^WRONG +identity-key\\.json +.*${problem.source}`, "m"));
    const hub = await start();
    assert.equal((await fetch(`${hub.address}/healthz`)).status, 200);
    assert.equal(await eventually("an alarm", isAlarmed), true);
    const running = await ledge("doctor", ...data);
    assert.match(running.stdout, /^WRONG +identity-key\.json +.*ledge identity --help/m);
    assert.equal(running.code, 1);
    const { cloud: link, identity } = await status();
    assert.equal(link.connected, false);
    assert.equal(identity.fingerprint, null);
    const recovered = await ledge("key", "--recover", ...data);
    assert.equal(recovered.code, 3);
    assert.match(recovered.stderr, problem);
    const { stderr } = await hub.stop();
    assert.match(stderr, /a key is lost/);
    assert.deepEqual(existsSync(file) ? readFileSync(file) : undefined, left);
    writeFileSync(file, intact);
  });
}

test("restoring the identity key closes the alarm and reconnects the hub with its cloud", async () => {
  const hub = await start();
  await eventually("the cloud", async () => ((await status()).cloud.connected ? true : undefined));
  assert.equal(await isAlarmed(), false);
  assert.match((await ledge("doctor", ...data)).stdout, /^ok +keys +all there/m);
  await hub.stop();
});

test("ledge identity restores the key of a backup, and makes a new one only on request", async () => {
  rmSync(file);
  const hub = await start();
  const { fingerprint: none } = (await status()).identity;
  assert.equal(none, null);
  for (const wrong of [["--new"], ["--yes"], ["--backup", backup], ["--passphrase-file", passphrase]])
    assert.equal((await ledge("identity", ...wrong, ...data)).code, 2, wrong.join(" "));
  assert.equal((await ledge("identity", ...data)).code, 1);
  const back = await ledge("identity", "--backup", backup, "--passphrase-file", passphrase, ...data);
  assert.equal(back.code, 0, back.stderr);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), JSON.parse(intact.toString()));
  assert.equal(await isAlarmed(), false);
  const old = (await ledge("key", "--recover", ...data)).stdout.trim();
  assert.equal((await hub.call("GET", "/rooms", old)).status, 200);

  const renewed = await ledge("identity", "--new", "--yes", "--json", ...data);
  const { fingerprint } = JSON.parse(renewed.stdout) as { fingerprint: string };
  assert.equal((await hub.call("GET", "/rooms", old)).status, 401);
  assert.ok(readdirSync(home).some((name) => name.startsWith("identity-key.json.replaced-")));
  await hub.stop();
  const again = await start();
  assert.equal((await status()).identity.fingerprint, fingerprint);
  assert.equal(await isAlarmed(), false);
  await again.stop();
});
