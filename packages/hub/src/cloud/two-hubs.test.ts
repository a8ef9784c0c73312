// Two hubs with one identity at one cloud: a restored backup beside its original, and a copied data folder. All run in
// processes of their own, but for those that are to be in a hurry.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { socketConsole } from "@ledge/host/cli/client";
import { programFile } from "@ledge/testkit/programs";
import { type CloudProcess, FullClient } from "@ledge/testkit/client";
import { CloudHome } from "../testdata/cloud-home.ts";
import { eventually, finish, HubProcess, ledge } from "../testdata/hub-process.ts";
import { OpenHub } from "../testdata/open-hub.ts";

afterEach(() => CloudHome.end());
const email = "ada@example.org";

interface Told {
  readonly isConnected: boolean;
  /** Whether the alarm is open; undefined when it was never raised. */
  readonly isAlarmed: boolean | undefined;
  readonly message: string | undefined;
}

type Alarms = Record<string, { kind: string; closed: boolean; count: number; message: { en: string } }>;

/** The link and the alarm of a hub. */
async function told({ folder }: Pick<HubProcess, "folder">): Promise<Told> {
  const console = socketConsole(folder);
  const { json: hub } = await console.call("GET", "/hub");
  const { json: alarms } = await console.call("GET", "/cc/1.14/alarms");
  const alarm = Object.values(alarms as Alarms).find(({ kind }) => kind === "HUB_CLONED");
  const isAlarmed = alarm && !alarm.closed;
  return {
    isConnected: (hub as { connected: boolean }).connected,
    isAlarmed,
    message: alarm?.message.en,
  };
}

/** Waits until a hub has, or lacks, the link and the alarm about another hub. */
async function settled(
  what: string,
  hub: Pick<HubProcess, "folder">,
  expected: readonly [isConnected: boolean, isAlarmed: boolean],
): Promise<Told> {
  return eventually(what, async () => {
    const found = await told(hub);
    return found.isConnected === expected[0] && (found.isAlarmed ?? false) === expected[1]
      ? found
      : undefined;
  });
}

/** The state of the only hub, as the cloud's operator sees it. */
async function atCloud({
  folder,
}: CloudProcess): Promise<{ connected: boolean; clone: { kind: string } | null }> {
  const args = [programFile("ledge-cloud"), "hubs", "--json", "--data", folder];
  const { stdout } = await finish(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
  const [hub] = JSON.parse(stdout) as { connected: boolean; clone: { kind: string } | null }[];
  return hub ?? assert.fail("the cloud knows no hub");
}

/** Starts the same hub on another folder. */
async function another(home: CloudHome, cloud: CloudProcess, folder: string): Promise<HubProcess> {
  const hub = await HubProcess.start(folder, "--profile", home.profile, "--cloud", cloud.url);
  CloudHome.atEnd(() => hub.stop());
  return hub;
}

async function ownedHub(home: CloudHome, cloud: CloudProcess): Promise<HubProcess> {
  const hub = await home.hub(cloud.url);
  await home.claim(hub, email);
  await settled("the first hub", hub, [true, false]);
  return hub;
}

async function nameThroughCloud(client: FullClient): Promise<string> {
  const name = await eventually("the hub by the relay", () =>
    client.bootstrap().then(
      () => client.meta?.name,
      () => undefined,
    ),
  );
  return name;
}

test("a restored hub takes the link from its original, both raise an alarm, and the owner can swap them", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  const original = await ownedHub(home, cloud);
  const client = await home.client(cloud, email);
  const [backup, passphrase] = [join(home.folder, "home.ledge"), join(home.folder, "passphrase")];
  writeFileSync(passphrase, "correct horse battery\n");
  const sealed = ["--passphrase-file", passphrase];
  assert.equal((await ledge("backup", backup, ...sealed, "--data", original.folder)).code, 0);
  const copy = join(home.folder, "restored");
  assert.equal((await ledge("restore", backup, ...sealed, "--data", copy)).code, 0);
  assert.equal(await nameThroughCloud(client), "Ledge");
  const renamed = await original.call("PUT", "/hub/name?name=Original", client.key);
  assert.equal(renamed.status, 200, JSON.stringify(renamed.json));

  let restored = await another(home, cloud, copy);
  await settled("the restored hub", restored, [true, true]);
  const { message } = await settled("the original", original, [false, true]);
  assert.match(
    message ?? "",
    /another hub.*before its last restore: the cloud keeps to the one that was restored at 20/,
  );
  assert.equal(await nameThroughCloud(client), "Ledge");
  assert.equal((await atCloud(cloud)).clone?.kind, "older");
  const overview = await fetch(`${cloud.url}/ui/0.2/user/hubs`, { headers: { authorization: client.token } });
  const [shown] = (await overview.json()) as { name: string; clone: { kind: string } | null }[];
  assert.deepEqual([overview.status, shown?.name, shown?.clone?.kind], [200, "Ledge", "older"]);

  const doctor = await ledge("doctor", "--data", original.folder);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /^WRONG +identity +two hubs have it: .*ledge identity --newest --yes/m);
  assert.match((await ledge("doctor", "--data", copy)).stdout, /^WRONG +identity +.*turn the other off/m);
  assert.match((await ledge("status", "--data", copy)).stdout, /^cloud .*, connected; another hub has this/m);

  // A restart changes nothing: the older hub is refused again, and the newer one gets its link back.
  await original.stop();
  const again = await another(home, cloud, original.folder);
  await settled("the original after a restart", again, [false, true]);
  await restored.kill();
  restored = await another(home, cloud, copy);
  await settled("the restored hub after a restart", restored, [true, true]);

  assert.equal((await ledge("identity", "--newest", "--data", again.folder)).code, 2);
  assert.equal((await ledge("identity", "--newest", "--yes", "--data", again.folder)).code, 0);
  await settled("the original, which is the newest now", again, [true, true]);
  await settled("the restored hub, which is not", restored, [false, true]);
  assert.equal(await nameThroughCloud(client), "Original");
});

test("of two hubs with one data folder, the one with the link keeps it, and both raise an alarm", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  const first = await ownedHub(home, cloud);
  await first.stop();
  const folder = join(home.folder, "copied");
  cpSync(first.folder, folder, { recursive: true, filter: (name) => !name.endsWith(".sock") });
  const original = await another(home, cloud, first.folder);
  await settled("the original", original, [true, false]);
  const copy = await another(home, cloud, folder);
  const { message } = await settled("the copy", copy, [false, true]);
  assert.match(message ?? "", /this hub is a copy of the one that the cloud reaches/);
  const { message: kept } = await settled("the original beside it", original, [true, true]);
  assert.match(kept ?? "", /the cloud reaches this hub, and has refused a copy of it/);
  assert.equal((await atCloud(cloud)).clone?.kind, "same");

  // The owner makes the copy the valid hub by a command at the copy.
  assert.equal((await ledge("identity", "--newest", "--yes", "--data", folder)).code, 0);
  await settled("the copy, which is the newest now", copy, [true, true]);
  await settled("the original, which is not", original, [false, true]);
});

test("the alarm closes at the remaining hub once the other one is gone", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  const first = await ownedHub(home, cloud);
  await first.stop();
  const copied = join(home.folder, "copies");
  cpSync(first.folder, join(copied, "open-hub"), {
    recursive: true,
    filter: (name) => !name.endsWith(".sock"),
  });
  const original = await another(home, cloud, first.folder);
  await settled("the original", original, [true, false]);
  // This hub waits seconds in place of minutes.
  const { profile } = home;
  const copy = await OpenHub.open({
    folder: copied,
    profile,
    cloud: cloud.url,
    hurry: 300,
    hurryFrom: 120_000,
  });
  const { kernel, hubId } = copy.hub;
  const isAlarmed = (): boolean | undefined =>
    kernel.get("alarm", `HUB_CLONED-${hubId}`) && !kernel.get("alarm", `HUB_CLONED-${hubId}`)?.closed;
  try {
    await eventually("the copy's alarm", async () => (isAlarmed() ? true : undefined));
    assert.equal(await eventually("the original's", async () => (await told(original)).isAlarmed), true);
    const { count } = kernel.get("alarm", `HUB_CLONED-${hubId}`) ?? {};
    await original.stop();
    await eventually("the copy gets the link", async () =>
      ((await (await fetch(`${copy.address}/hub`)).json()) as { connected: boolean }).connected
        ? true
        : undefined,
    );
    await eventually("its alarm is closed", async () => (isAlarmed() === false ? true : undefined));
    // Further refusals do not count again.
    assert.equal(kernel.get("alarm", `HUB_CLONED-${hubId}`)?.count, count);
  } finally {
    await copy.close();
  }
});

test("a hub that is stopped or killed and started again is never taken for two", async () => {
  const home = new CloudHome();
  const cloud = await home.cloud();
  let hub = await ownedHub(home, cloud);
  for (const how of ["stop", "kill", "kill", "stop"] as const) {
    await hub[how]();
    hub = await another(home, cloud, hub.folder);
    await settled(`the hub after a ${how}`, hub, [true, false]);
  }
  await cloud.kill();
  await settled("the hub without its cloud", hub, [false, false]);
  const next = await home.cloud(cloud.port);
  await settled("the hub at its cloud's next start", hub, [true, false]);
  assert.equal((await told(hub)).isAlarmed, undefined);
  assert.equal((await atCloud(next)).clone, null);
});
