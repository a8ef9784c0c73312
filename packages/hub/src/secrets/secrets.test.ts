import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openKernel, systemClock } from "@ledge/kernel";
import { openLmdbLog } from "@ledge/log";
import { declared, upcasters } from "@ledge/model";
import { socketConsole } from "@ledge/host/cli/client";
import { logFolder } from "@ledge/host/folder";
import { folderSealing } from "@ledge/host/sealing";
import { kernelParts } from "../start/kernel-parts.ts";
import { canaries, filesWith, hideCanaries } from "../testdata/home.ts";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { secretKeyFile } from "@ledge/host/secrets/keys";
import { isSealedSecret } from "@ledge/host/secrets/sealing";

const [canary] = canaries;

interface Home {
  readonly root: string;
  readonly folder: string;
  readonly data: readonly string[];
  readonly restart: () => Promise<HubProcess>;
}

/** A stopped home in which an adapter has stored a network key. */
async function homeWithRadio(context: TestContext, inTheClear = false): Promise<Home> {
  const root = temporaryFolder();
  context.after(() => root.remove());
  const profile = bareProfile(root.path);
  const folder = join(root.path, "hub");
  const restart = async (): Promise<HubProcess> => {
    const hub = await HubProcess.start(folder, "--profile", profile);
    context.after(() => hub.kill());
    return hub;
  };
  await (await restart()).stop();
  await hideCanaries(folder, inTheClear);
  return { root: root.path, folder, data: ["--data", folder], restart };
}

/** The stored values of the adapter, as a hub reads them. */
async function networkIn(folder: string): Promise<unknown> {
  const sealing = folderSealing(folder, declared);
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing, readOnly: true });
  const readOnly = { state: "rescue", reason: "a look" } as const;
  const clock = systemClock;
  const kernel = openKernel({
    ...kernelParts,
    log,
    clock,
    timeTrusted: () => true,
    onFatal: () => {},
    readOnly,
  });
  const { values = {} } = kernel.get("adapter", "radio") ?? {};
  await kernel.close();
  return values["network"];
}

test("values that an adapter stores are sealed in all files and survive a kill and a stop", async (context) => {
  const { folder, restart } = await homeWithRadio(context);
  assert.deepEqual(filesWith(folder, [canary]), []);
  await (await restart()).kill();
  assert.deepEqual(await networkIn(folder), { key: canary });
  await (await restart()).stop();
  assert.deepEqual(filesWith(folder, [canary]), []);
  assert.deepEqual(await networkIn(folder), { key: canary });
});

test("reads a log from before secrets were sealed, and seals them in the next snapshot", async (context) => {
  const { folder, restart } = await homeWithRadio(context, true);
  assert.ok(filesWith(folder, [canary]).length > 0, "it stands there in the clear");
  assert.equal(existsSync(secretKeyFile(folder)), false);
  const hub = await restart();
  await hub.key();
  await hub.stop();
  assert.ok(existsSync(secretKeyFile(folder)), "the snapshot at the stop needed a key");
  assert.deepEqual(await networkIn(folder), { key: canary });
});

test("a hub killed while a camera gets passwords keeps the last acknowledged one", async (context) => {
  const folder = temporaryFolder();
  context.after(() => folder.remove());
  const start = async (): Promise<HubProcess> => {
    const started = await HubProcess.start(folder.path);
    context.after(() => started.kill());
    return started;
  };
  let hub = await start();
  const call = async (type: string, password: string): Promise<unknown> => {
    const body = { type, id, username: "admin", password };
    const { json } = await socketConsole(folder.path).call("PUT", "/cc/1.14/devices/command", body);
    return (json as { credentialStatus?: string }).credentialStatus;
  };
  const camera = async (): Promise<string | undefined> => {
    const { json } = await socketConsole(folder.path).call("GET", "/cc/1.14/devices");
    return Object.entries(json as Record<string, { name: string }>).find(
      ([, { name }]) => name === "Yard camera",
    )?.[0];
  };
  const id = await eventually("the camera", camera);
  await eventually("its adapter", async () =>
    (await call("CMD_USE_CREDENTIALS", "admin")) ? true : undefined,
  );
  let [asked, answered] = [0, 0];
  const change = async (until: number): Promise<void> => {
    while (asked < until) {
      asked += 1;
      if ((await call("CMD_CHANGE_CREDENTIALS", `canary-${asked}`)) === "OK") answered = asked;
    }
  };
  for (let round = 0; round < 2; round++) {
    const goal = answered + 4;
    const ended = assert.rejects(change(Number.MAX_SAFE_INTEGER));
    await eventually("some have been answered", async () => (answered >= goal ? true : undefined));
    await hub.kill();
    await ended;
    hub = await start();
    // The hub may have stored the password that was under way, too.
    const possible = [answered, asked].map((number) => `canary-${number}`);
    await eventually("the camera knows it", async () => {
      for (const password of possible)
        if ((await call("CMD_USE_CREDENTIALS", password)) === "OK") return true;
      return undefined;
    });
  }
  const { json } = await socketConsole(folder.path).call("GET", "/cc/1.14/alarms");
  assert.doesNotMatch(JSON.stringify(json), /SECRETS_LOST/);
  await hub.stop();
});

test("a hub without its secret key serves with an alarm, and reads all secrets when the key is back", async (context) => {
  const { folder, restart } = await homeWithRadio(context);
  const key = secretKeyFile(folder);
  const intact = readFileSync(key);
  for (const lose of [() => rmSync(key), () => writeFileSync(key, "damaged")]) {
    lose();
    const hub = await restart();
    await eventually("an alarm says so", async () => {
      const { json } = await socketConsole(folder).call("GET", "/cc/1.14/alarms");
      return /SECRETS_LOST/.test(JSON.stringify(json)) || undefined;
    });
    const { stderr } = await hub.stop();
    assert.match(stderr, /secrets that adapters keep cannot be read/);
    assert.ok(isSealedSecret(await networkIn(folder)));
  }
  writeFileSync(key, intact);
  assert.deepEqual(await networkIn(folder), { key: canary });
  rmSync(key);
  await hideCanaries(folder);
  assert.deepEqual(await networkIn(folder), { key: canary });
  assert.notDeepEqual(readFileSync(key), intact);
});

test("a restore seals secrets under the new machine's key or leaves them out, and a repair keeps them", async (context) => {
  const { root, folder, data } = await homeWithRadio(context);
  const [sealed, bare, passphrase] = ["sealed.ledge", "bare.ledge", "passphrase"].map((name) =>
    join(root, name),
  ) as [string, string, string];
  writeFileSync(passphrase, "correct horse\n");
  const open = ["--passphrase-file", passphrase];
  assert.equal((await ledge("backup", sealed, ...open, ...data)).code, 0);
  assert.equal((await ledge("backup", bare, "--without-secrets", ...data)).code, 0);
  const [whole, empty] = [join(root, "whole"), join(root, "empty")];
  assert.equal((await ledge("restore", sealed, ...open, "--data", whole)).code, 0);
  assert.deepEqual(await networkIn(whole), { key: canary });
  assert.notDeepEqual(readFileSync(secretKeyFile(whole)), readFileSync(secretKeyFile(folder)));
  assert.equal((await ledge("restore", bare, "--data", empty)).code, 0);
  assert.equal(await networkIn(empty), null);
  assert.equal(existsSync(secretKeyFile(empty)), false);

  const file = join(logFolder(whole), "data.mdb");
  writeFileSync(file, readFileSync(file).fill(0, 0, 8192));
  assert.equal((await ledge("doctor", "--repair", "--yes", "--data", whole)).code, 0);
  assert.deepEqual(await networkIn(whole), { key: canary });
  assert.deepEqual(filesWith(root, [canary]), []);
});
