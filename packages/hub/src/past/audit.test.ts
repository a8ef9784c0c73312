import assert from "node:assert/strict";
import { test } from "node:test";
import type { Audit } from "@ledge/api";
import { roles } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { bareProfile, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

test("admins get who did what, page by page, without the names of forgotten users", async (context) => {
  const folder = temporaryFolder();
  const cloud = await SimulatedCloud.open();
  const hub = await HubProcess.startAt(cloud, folder.path, "--profile", bareProfile(folder.path));
  context.after(async () => {
    await hub.stop();
    await cloud.close();
    folder.remove();
  });
  const owner = await hub.key();
  const ann = await hub.key("ann@example.org", roles.IDENTIFIED_USER);
  const room = async (key: string, name: string): Promise<void> => {
    assert.equal((await hub.call("PUT", "/rooms", key, [{ type: "CMD_ROOM", name }])).status, 200);
  };
  const audit = async (query = "", key = owner): Promise<Audit> => {
    const { status, json } = await hub.call("GET", `/audit${query}`, key);
    assert.equal(status, 200, JSON.stringify(json));
    return json as Audit;
  };
  await hub.call("PUT", "/hub/users/profile", ann, { nickname: "Ann" });
  for (const name of ["One", "Two", "Three"]) await room(owner, name);
  await room(ann, "Hers");

  const { entries } = await audit();
  const [newest] = entries;
  assert.ok(newest !== undefined);
  assert.deepEqual([newest.type, newest.user?.name, newest.from], ["RoomCreated", "Ann", "local"]);
  assert.match(newest.text, /Ann.*Hers/);
  assert.ok(entries.every(({ at }, index) => index === 0 || at <= (entries[index - 1]?.at ?? 0)));
  assert.ok(entries.some(({ from }) => from === "cloud"));

  const hers = await audit(`?user=${newest.user?.id}`);
  assert.ok(hers.entries.length >= 1 && hers.entries.every(({ user }) => user?.id === newest.user?.id));
  const ofRoom = await audit(`?id=${newest.object?.id}`);
  assert.deepEqual(ofRoom.entries, [newest]);

  const paged: typeof entries = [];
  for (let before: string | null = ""; before !== null;) {
    const part: Audit = await audit(`?limit=2${before === "" ? "" : `&before=${before}`}`);
    assert.ok(part.entries.length <= 2);
    paged.push(...part.entries);
    before = part.next;
  }
  assert.deepEqual(paged, entries);
  const [, second] = entries;
  assert.deepEqual((await audit(`?from=${second?.at}&to=${second?.at}`)).entries, [second]);
  assert.deepEqual((await audit("?to=1")).entries, []);

  for (const query of ["?limit=0", "?limit=1001", "?before=then", "?from=x", "?to=-1"])
    assert.equal((await hub.call("GET", `/audit${query}`, owner)).status, 422, query);
  assert.equal((await hub.call("GET", "/audit", ann)).status, 403);

  assert.equal((await hub.call("DELETE", `/hub/users?userId=${newest.user?.id}`, owner)).status, 200);
  const [, , ...later] = (await audit()).entries;
  assert.equal(JSON.stringify(later).includes("Ann"), false);
  assert.ok((await audit(`?user=${newest.user?.id}`)).entries.every(({ user }) => user?.name === ""));
});
