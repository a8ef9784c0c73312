import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timeline } from "@ledge/api";
import { limits, roles } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const lampName = "Living room ceiling";

test("users get what happened to the objects that they may read, as a tree, page by page", async (context) => {
  const folder = temporaryFolder();
  const cloud = await SimulatedCloud.open();
  const hub = await HubProcess.startAt(
    cloud,
    folder.path,
    "--profile",
    bareProfile(folder.path, { adapters: { sim: {} } }),
  );
  context.after(async () => {
    await hub.stop();
    await cloud.close();
    folder.remove();
  });
  const owner = await hub.key();
  const ann = await hub.key("ann@example.org", roles.IDENTIFIED_USER);
  const guest = await hub.key("gus@example.org", roles.GUEST);
  await hub.homeAnnounced(owner);
  const timeline = async (query = "", key = ann): Promise<Timeline> => {
    const { status, json } = await hub.call("GET", `/timeline${query}`, key);
    assert.equal(status, 200, JSON.stringify(json));
    return json as Timeline;
  };

  for (const query of [
    "?limit=0",
    `?limit=${limits.auditEntries + 1}`,
    "?before=then",
    "?from=x",
    "?to=-1",
    "?counts=3",
    "?from=1&counts=0",
    `?from=1&counts=${limits.timelineCounts + 1}`,
  ])
    assert.equal((await hub.call("GET", `/timeline${query}`, ann)).status, 422, query);
  assert.equal((await hub.call("GET", "/timeline", guest)).status, 403);

  const { id: lamp } = await hub.device(lampName, owner);
  const addRoom = async (name: string): Promise<string> => {
    await hub.done("PUT", "/rooms", owner, [{ type: "CMD_ROOM", name }]);
    const rooms = await hub.done<Record<string, { name: string }>>("GET", "/rooms", owner);
    return Object.keys(rooms).find((id) => rooms[id]?.name === name) ?? "";
  };
  const [hall, shed] = [await addRoom("Hall"), await addRoom("Shed")];
  await hub.done("PUT", "/devices", owner, [{ type: "CMD_DEVICE_META", id: lamp, room: [hall] }]);
  await hub.done("DELETE", `/rooms?roomId=${shed}`, owner);
  await hub.done("PUT", "/devices/command", ann, [{ type: "CMD_DEVICE_ON", id: lamp }]);
  const isOn = await eventually("the report of the lamp", async () =>
    (await timeline(`?id=${lamp}`)).entries.find(({ change }) => change?.["isOn"] === true),
  );
  assert.deepEqual([isOn.kind, isOn.object?.name], ["device", lampName]);
  assert.match(isOn.text, new RegExp(lampName));

  const tree = await timeline(`?root=${encodeURIComponent(isOn.root ?? "")}`);
  assert.ok(tree.entries.some(({ ref }) => ref === isOn.ref));
  assert.ok(tree.entries.every(({ root, ref }) => root === isOn.root || ref === isOn.root));

  const ofRoom = await timeline(`?room=${hall}&limit=1000`);
  assert.deepEqual(
    [...new Set(ofRoom.entries.map(({ object }) => object?.id ?? ""))].toSorted(),
    [hall, lamp].toSorted(),
  );
  const rooms = async (key: string): Promise<readonly (string | undefined)[]> =>
    (await timeline("?kind=room&limit=1000", key)).entries.map(({ object }) => object?.id);
  assert.deepEqual(await rooms(ann), [hall], "of a room that is gone, only admins read");
  assert.deepEqual(await rooms(owner), [shed, shed, hall]);
  for (const kind of ["hub", "timer", "localKey", "nonsense"])
    assert.deepEqual((await timeline(`?kind=${kind}`)).entries, [], kind);
  await hub.done("PUT", "/hub/tz?timezone=Europe/Oslo", owner);
  const [zoned] = (await timeline("?kind=hub", owner)).entries;
  assert.match(zoned?.text ?? "", / changed a setting of the hub$/);

  const whole = await timeline(`?limit=1000&to=${isOn.at}`);
  const paged: Timeline["entries"] = [];
  for (let before: string | null = ""; before !== null;) {
    const more: string = before === "" ? "" : `&before=${before}`;
    const part: Timeline = await timeline(`?limit=40&to=${isOn.at}${more}`);
    assert.ok(part.entries.length <= 40);
    paged.push(...part.entries);
    before = part.next;
  }
  assert.deepEqual(paged, whole.entries);
  assert.ok(paged.every(({ at }, index) => index === 0 || at <= (paged[index - 1]?.at ?? 0)));

  const from = paged.at(-1)?.at ?? 0;
  const { counts } = await timeline(`?limit=1&from=${from}&to=${isOn.at}&counts=7`);
  assert.equal(counts?.length, 7);
  assert.equal(
    counts?.reduce((sum, { events }) => sum + events, 0),
    paged.length,
  );
});
