import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openLmdbLog } from "@ledge/log";
import { declared, roles, upcasters } from "@ledge/model";
import { socketConsole } from "@ledge/host/cli/client";
import { logFolder } from "@ledge/host/folder";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { filesWith, wholePoll } from "../testdata/home.ts";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { keysFile, PersonalKeys } from "@ledge/host/personal/keys";
import { sealingOf } from "@ledge/host/sealed-fields";
import { personalFields } from "@ledge/host/personal/sealing";

const canaries = ["canary-mail@example.org", "Canary Nickname", "+358 55 0123456"] as const;
const [email, nickname, phone] = canaries;

/** A hub that is stopped even when its test fails. */
async function startIn(
  context: TestContext,
  folder: string,
  profile: string,
  cloud?: SimulatedCloud,
): Promise<HubProcess> {
  const hub = await (cloud === undefined
    ? HubProcess.start(folder, "--profile", profile)
    : HubProcess.startAt(cloud, folder, "--profile", profile));
  context.after(() => hub.kill());
  return hub;
}

/** A home with the profile of a user Ann, and the ids of Ann and the owner. */
async function homeWithAnn(context: TestContext): Promise<Home> {
  const root = temporaryFolder();
  context.after(() => root.remove());
  const profile = bareProfile(root.path);
  const folder = join(root.path, "hub");
  const cloud = await SimulatedCloud.open();
  context.after(() => cloud.close());
  const restart = (): Promise<HubProcess> => startIn(context, folder, profile, cloud);
  const hub = await restart();
  const owner = await hub.key();
  const key = await hub.key(email);
  assert.equal((await hub.call("PUT", "/hub/users/profile", key, { nickname, phone })).status, 200);
  const id = (await usersOf(hub, owner)).find((user) => user.email === email)?.uid ?? assert.fail();
  const passphrase = join(root.path, "passphrase");
  writeFileSync(passphrase, "correct horse\n");
  return { root: root.path, folder, hub, owner, id, passphrase, restart };
}

interface Home {
  readonly root: string;
  readonly folder: string;
  readonly hub: HubProcess;
  readonly owner: string;
  readonly id: string;
  readonly passphrase: string;
  readonly restart: () => Promise<HubProcess>;
}

interface Shown {
  readonly uid: string;
  readonly email: string;
  readonly nickname: string;
  readonly phone: string | null;
}

async function usersOf(hub: HubProcess, key: string): Promise<Shown[]> {
  const { json } = await hub.call("GET", "/hub/users", key);
  return Object.values(json as Record<string, { user_info: { user: Shown } }>).map(
    ({ user_info }) => user_info.user,
  );
}

const annIn = async (hub: HubProcess, { owner, id }: Home): Promise<Shown> =>
  (await usersOf(hub, hub.cloud === undefined ? await hub.key() : owner)).find(({ uid }) => uid === id) ??
  assert.fail("she has a row");

const isBlank = ({ email: mail, nickname: name, phone: number }: Shown): boolean =>
  mail === "" && name === "" && number === null;

test("personal data is sealed in all files and readable again after a kill", async (context) => {
  const home = await homeWithAnn(context);
  assert.deepEqual(filesWith(home.folder, canaries), []);
  await home.hub.kill();
  let hub = await home.restart();
  const { email: mail, nickname: name, phone: number } = await annIn(hub, home);
  assert.deepEqual([mail, name, number], canaries);
  await hub.stop();
  // This time from a snapshot.
  assert.deepEqual(filesWith(home.folder, canaries), []);
  hub = await home.restart();
  assert.equal((await annIn(hub, home)).email, email);
  await hub.stop();
});

test("forgetting a user destroys the key, and nobody can read the data again, also by replay", async (context) => {
  const home = await homeWithAnn(context);
  const { hub, folder, owner, id } = home;
  const key = new PersonalKeys(folder).get(id) ?? assert.fail();
  const kept = [key, key.toString("base64"), key.toString("hex")];
  assert.deepEqual(filesWith(folder, kept), [keysFile(folder)]);
  const admin = await hub.key("admin@example.org", roles.USER_ADMIN);
  const forget = (by: string, user = id): Promise<{ status: number }> =>
    hub.call("DELETE", `/hub/users?userId=${user}`, by);
  assert.equal((await forget(admin)).status, 403);
  assert.equal((await forget(owner, "nobody")).status, 404);
  assert.equal((await forget(owner)).status, 200);
  // Without a stop in between: the answer says that it is done.
  assert.deepEqual(filesWith(folder, [...kept, ...canaries]), []);
  assert.ok(isBlank(await annIn(hub, home)));
  await hub.cloud?.gone(await hub.hubId(), email);
  const live = await wholePoll(hub);
  await hub.kill();
  let again = await home.restart();
  assert.deepEqual(await wholePoll(again), live);
  await again.stop();
  assert.deepEqual(filesWith(folder, [...kept, ...canaries]), []);
  again = await home.restart();
  assert.deepEqual(await wholePoll(again), live);
  const { stdout } = await ledge("events", "tail", "--once", "--data", folder);
  assert.match(stdout, /UserForgotten/);
  for (const canary of canaries) assert.equal(stdout.includes(canary), false);
  await again.stop();
});

test("a hub that dies before it destroys a forgotten user's key destroys it at the next start", async (context) => {
  const home = await homeWithAnn(context);
  await home.hub.stop();
  const log = await openLmdbLog({
    folder: logFolder(home.folder),
    upcasters,
    sealing: sealingOf(personalFields(new PersonalKeys(home.folder), declared)),
  });
  const envelope = { version: 1, origin: "system", depth: 0 } as const;
  const events = ["UserRevoked", "UserForgotten"].map((type) => ({ type, id: home.id, ...envelope }));
  await log.append({ timestamp: log.last + 1, events });
  await log.close();
  assert.ok(new PersonalKeys(home.folder).get(home.id));
  const hub = await home.restart();
  assert.equal(new PersonalKeys(home.folder).get(home.id), undefined);
  assert.ok(isBlank(await annIn(hub, home)));
  await hub.stop();
});

/** Adds users and forgets every second one until the hub dies; records the acknowledged ones. */
async function comeAndGo(
  process: HubProcess,
  round: number,
  known: Set<string>,
  gone: Set<string>,
): Promise<void> {
  const hub = socketConsole(process.folder);
  const ended = process.ended.then(() => assert.fail("the hub has ended"));
  for (let number = 0; ; number++) {
    const mail = `guest-${round}-${number}@example.org`;
    const key = await Promise.race([process.key(mail, roles.GUEST), ended]);
    known.add(mail);
    if (number % 2 === 0) continue;
    const claims = JSON.parse(Buffer.from(key.split(".")[1] ?? "", "base64url").toString()) as object;
    const { user_id: userId } = claims as { user_id: string };
    known.delete(mail);
    await hub.call("DELETE", `/cc/1.14/hub/users?userId=${userId}`);
    gone.add(mail);
  }
}

test("a hub killed amid adds and forgets reads all its users and none of the forgotten ones", async (context) => {
  const home = await homeWithAnn(context);
  let { hub } = home;
  const known = new Set<string>();
  const gone = new Set<string>();
  for (let round = 0; round < 3; round++) {
    const goneBefore = gone.size;
    const ended = assert.rejects(comeAndGo(hub, round, known, gone));
    await eventually("some have come and gone", async () => (gone.size > goneBefore + 2 ? true : undefined));
    await hub.kill();
    await ended;
    hub = await home.restart();
    const shown = new Set((await usersOf(hub, home.owner)).map(({ email: mail }) => mail));
    for (const mail of known) assert.ok(shown.has(mail), `${mail} can be read`);
    for (const mail of gone) assert.equal(shown.has(mail), false, `${mail} is forgotten`);
  }
  await hub.stop();
});

test("a backup hides users without its passphrase, and restores all but those forgotten since", async (context) => {
  const home = await homeWithAnn(context);
  const { root, folder, owner, id } = home;
  const [sealed, bare] = [join(root, "sealed.ledge"), join(root, "bare.ledge")];
  const data = ["--data", folder];
  const open = ["--passphrase-file", home.passphrase];
  assert.equal((await ledge("backup", sealed, ...open, ...data)).code, 0);
  assert.equal((await ledge("backup", bare, "--without-secrets", ...data)).code, 0);

  const other = join(root, "other");
  assert.equal((await ledge("restore", sealed, ...open, "--data", other)).code, 0);
  const restored = await startIn(context, other, join(root, "bare.json"));
  assert.equal((await annIn(restored, home)).email, email);
  await restored.stop();

  const empty = join(root, "empty");
  assert.equal((await ledge("restore", bare, "--data", empty)).code, 0);
  assert.deepEqual(filesWith(empty, canaries), []);
  assert.equal(existsSync(keysFile(empty)), false);
  const nameless = await startIn(context, empty, join(root, "bare.json"));
  const { stdout } = await ledge("events", "tail", "--once", "--data", empty);
  for (const canary of canaries) assert.equal(stdout.includes(canary), false);
  await nameless.stop();

  assert.equal((await home.hub.call("DELETE", `/hub/users?userId=${id}`, owner)).status, 200);
  await home.hub.stop();
  assert.equal((await ledge("restore", sealed, ...open, "--force", ...data)).code, 0);
  assert.equal(new PersonalKeys(folder).get(id), undefined);
  const back = await home.restart();
  assert.ok(isBlank(await annIn(back, home)));
  assert.match((await ledge("events", "tail", "--once", ...data)).stdout, /UserForgotten/);
  await back.stop();
});

test("a restore over damaged keys asks the log which users were forgotten", async (context) => {
  const home = await homeWithAnn(context);
  const { root, folder, owner, id } = home;
  const sealed = join(root, "sealed.ledge");
  const data = ["--data", folder];
  const open = ["--passphrase-file", home.passphrase];
  assert.equal((await ledge("backup", sealed, ...open, ...data)).code, 0);
  assert.equal((await home.hub.call("DELETE", `/hub/users?userId=${id}`, owner)).status, 200);
  await home.hub.stop();
  writeFileSync(keysFile(folder), "{");
  assert.equal((await ledge("restore", sealed, ...open, "--force", ...data)).code, 0);
  assert.equal(new PersonalKeys(folder).get(id), undefined);
  const back = await home.restart();
  assert.ok(isBlank(await annIn(back, home)));
  await back.stop();
});

test("a hub with damaged keys serves without names and raises an alarm; a repair keeps readable ones", async (context) => {
  const home = await homeWithAnn(context);
  await home.hub.stop();
  const intact = readFileSync(keysFile(home.folder));
  writeFileSync(keysFile(home.folder), "{");
  let hub = await home.restart();
  assert.ok(isBlank(await annIn(hub, home)));
  await eventually("an alarm says so", async () => {
    const { json } = await hub.call("GET", "/alarms", home.owner);
    return /personal keys/.test(JSON.stringify(json)) || undefined;
  });
  await hub.stop();
  writeFileSync(keysFile(home.folder), intact);
  const data = join(logFolder(home.folder), "data.mdb");
  const bytes = readFileSync(data);
  writeFileSync(data, bytes.fill(0, 0, 8192));
  assert.equal((await ledge("doctor", "--repair", "--yes", "--data", home.folder)).code, 0);
  hub = await home.restart();
  assert.equal((await annIn(hub, home)).email, email);
  await hub.stop();
});

test("a hub with missing or older keys raises an alarm, and shows all names when they are back", async (context) => {
  const home = await homeWithAnn(context);
  await home.hub.stop();
  const { folder } = home;
  const intact = readFileSync(keysFile(folder));
  const { keys } = JSON.parse(intact.toString()) as { keys: Record<string, string> };
  const first = Object.keys(keys).find((id) => id !== home.id) ?? assert.fail();
  const older = JSON.stringify({ keys: { [first]: keys[first] }, forgotten: [] });
  for (const lose of [() => rmSync(keysFile(folder)), () => writeFileSync(keysFile(folder), older)]) {
    lose();
    const doctor = await ledge("doctor", "--data", folder);
    assert.match(doctor.stdout, /^WRONG +personal-keys\.json +.*put the file back/m);
    let hub = await home.restart();
    assert.ok(isBlank(await annIn(hub, home)));
    await eventually("an alarm says so", async () => {
      const { json } = await hub.call("GET", "/alarms", home.owner);
      return /NAMES_LOST/.test(JSON.stringify(json)) || undefined;
    });
    await hub.stop();
    writeFileSync(keysFile(folder), intact);
    hub = await home.restart();
    assert.equal((await annIn(hub, home)).email, email);
    await hub.stop();
  }
});
