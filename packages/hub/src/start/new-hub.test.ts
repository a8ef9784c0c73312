import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { socketConsole } from "@ledge/host/cli/client";
import { hubIdOfKey } from "@ledge/link";
import { identityFile, parseIdentity } from "../secrets/identity-key.ts";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const root = temporaryFolder();
const profile = bareProfile(root.path);
after(() => root.remove());

/** The id that belongs to the identity key of a data folder. */
function idByKey(folder: string): string {
  const key = parseIdentity(readFileSync(join(folder, identityFile), "utf8"));
  return hubIdOfKey(key?.publicJwk.x ?? assert.fail("no key"));
}

test("derives the id of a new hub from its identity key and keeps it", async () => {
  const folder = join(root.path, "new");
  const hub = await HubProcess.start(folder, "--profile", profile);
  assert.equal(await hub.hubId(), idByKey(folder));
  await hub.kill();
  const again = await HubProcess.start(folder, "--profile", profile);
  assert.equal(await again.hubId(), idByKey(folder));
  await again.stop();
});

test("creates a new hub although its key file holds no key, and raises an alarm about the key", async () => {
  const folder = join(root.path, "spoilt");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, identityFile), "nothing");
  const hub = await HubProcess.start(folder, "--profile", profile);
  assert.match(await hub.hubId(), /^[0-9a-f-]{36}$/);
  await eventually("an alarm", async () => {
    const { json } = await socketConsole(folder).call("GET", "/cc/1.14/alarms");
    const alarms = Object.values(json as Record<string, { kind: string; closed: boolean }>);
    return alarms.find(({ kind, closed }) => kind === "IDENTITY_LOST" && !closed);
  });
  await hub.stop();
});
