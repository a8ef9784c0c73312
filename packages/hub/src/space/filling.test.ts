// Users who send as much as the hub accepts, over HTTP. The hub's clock runs ahead on request.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Command, limits, roles } from "@ledge/model";
import { addLamp } from "@ledge/testkit";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { bareProfile, temporaryFolder } from "../testdata/hub-process.ts";
import { OpenHub } from "../testdata/open-hub.ts";

const dayMs = 86_400_000;
/** One body may add this much beyond the remaining share. */
const bodyMost = 1_000_000;

describe("the share of the log that one user may add", () => {
  const folder = temporaryFolder();
  let cloud: SimulatedCloud;
  let hub: OpenHub;
  let keys: { guest: string; user: string; owner: string };
  let lampId: string;
  let ahead = 0;

  const open = async (): Promise<OpenHub> => {
    const profile = bareProfile(folder.path);
    return OpenHub.open({ folder: folder.path, profile, cloud: cloud.url, ahead: () => ahead });
  };

  before(async () => {
    cloud = await SimulatedCloud.open();
    hub = await open();
    const { kernel, hubId } = hub.hub;
    await hub.call("POST", "/hub/claim?email=owner@localhost", "");
    keys = {
      owner: await cloud.ownerKey(hubId),
      guest: await cloud.keyOf(hubId, "guest@localhost", roles.GUEST),
      user: await cloud.keyOf(hubId, "user@localhost", roles.IDENTIFIED_USER),
    };
    const commands = [addLamp() as Command];
    const added = await kernel.submit({ commands, origin: "system" });
    const [result] = added.accepted ? added.results : [];
    lampId = (result !== undefined && "id" in result && result.id) || assert.fail("no lamp");
  });
  after(async () => {
    await hub.close();
    await cloud.close();
    folder.remove();
  });

  const written = (): number => hub.hub.kernel.log.stats().frameBytes;
  /** Sends bodies at the allowed rate until one is refused; returns how much the log has grown. */
  const fill = async (path: string, key: string, body: (round: number) => object[]): Promise<number> => {
    const began = written();
    for (let round = 0; ; round++) {
      ahead += 60_000;
      const { status, json } = await hub.call("PUT", path, key, body(round));
      if (status === 200) continue;
      assert.equal(status, 429, JSON.stringify(json));
      assert.match(JSON.stringify(json), /as one user may in a day/);
      return written() - began;
    }
  };
  const alarmsOf = async (): Promise<string[]> => {
    const { json } = await hub.call("GET", "/alarms", keys.owner);
    const alarms = Object.values(json as Record<string, { kind: string; sourceId: string }>);
    return alarms.filter(({ kind }) => kind === "LOG_SHARE_SPENT").map(({ sourceId }) => sourceId);
  };
  const switches = (round: number): object[] =>
    Array.from({ length: 1000 }, (_, at) => ({
      type: "CMD_DEVICE",
      id: lampId,
      state: { brightness: ((round * 1000 + at) % 997) / 997 },
    }));

  test("limits a guest who sends 1,000 commands per body, whatever their kind", async () => {
    const added = await fill("/devices/command", keys.guest, switches);
    assert.ok(added > limits.guestLogBytesPerDay / 2, `${added}`);
    assert.ok(added < limits.guestLogBytesPerDay * 3 + bodyMost, `${added}`);
    assert.equal((await alarmsOf()).length, 1);
  });

  test("lets others make changes and the guest read meanwhile", async () => {
    assert.equal((await hub.call("PUT", "/rooms", keys.user, { name: "Hall" })).status, 200);
    assert.equal((await hub.call("GET", "/devices", keys.guest)).status, 200);
  });

  test("counts a guest's share over a restart", async () => {
    await hub.close();
    hub = await open();
    const added = await fill("/devices/command", keys.guest, switches);
    assert.ok(added < limits.guestLogBytesPerDay / 2 + bodyMost, `${added}`);
  });

  test("limits a user who sends 900 renames per body", async () => {
    const made = await hub.call("PUT", "/rooms", keys.user, { name: "Attic" });
    assert.equal(made.status, 200);
    const { json } = await hub.call("GET", "/rooms", keys.user);
    const [id] = Object.keys(json as object);
    const renames = (round: number): object[] =>
      Array.from({ length: 900 }, (_, at) => ({
        type: "CMD_ROOM",
        id,
        name: `${round} ${at}`.padEnd(128, "x"),
      }));
    const added = await fill("/rooms", keys.user, renames);
    assert.ok(added > limits.userLogBytesPerDay / 2, `${added}`);
    assert.ok(added < limits.userLogBytesPerDay * 1.5 + bodyMost, `${added}`);
    assert.equal((await alarmsOf()).length, 2);
  });

  test("begins anew each day", async () => {
    ahead += dayMs;
    const [command] = switches(1);
    assert.equal((await hub.call("PUT", "/devices/command", keys.guest, [command])).status, 200);
    assert.equal((await hub.call("PUT", "/rooms", keys.user, { name: "Cellar" })).status, 200);
  });
});
