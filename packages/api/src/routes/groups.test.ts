import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openTestHub, type TestHub } from "../test-hub.ts";

describe("groups", () => {
  let hub: TestHub;
  let api: Client;
  let owner: string;
  let lamps: string[];

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    api = hub.api("local");
    owner = await hub.sign();
    lamps = [await hub.addDevice(), await hub.addDevice({ native: "2" })];
  });

  const create = async (): Promise<string> => {
    const { body } = await api.send("PUT", "/groups", owner, [{ id: null, name: "Lamps", members: lamps }]);
    return (body as { id: string }[])[0]?.id ?? "";
  };
  const issued = (): unknown[] =>
    [...hub.kernel.all("command")].map(([, { device, attributes, group }]) => [device, attributes, group]);

  test("PUT /groups creates and changes groups, and answers with them without state", async () => {
    const id = await create();
    const changes = [
      { type: "CMD_GROUP", id, name: "Spots", members: null },
      { type: "CMD_GROUP", name: "None" },
    ];
    const { status, body } = await api.send("PUT", "/groups", owner, changes);
    assert.equal(status, 200);
    const [spots, none] = body as Record<string, unknown>[];
    assert.deepEqual([spots?.["id"], spots?.["name"], spots?.["members"]], [id, "Spots", lamps]);
    assert.deepEqual([none?.["name"], none?.["members"], none?.["room"]], ["None", [], []]);
    assert.ok(spots !== undefined && !("state" in spots));
    assert.ok("minCapabilities" in spots);
  });

  test("GET /groups shows the state of a member", async () => {
    const id = await create();
    const { body } = await api.send("GET", "/groups", owner);
    const group = (body as Record<string, { state: { type: string } }>)[id];
    assert.equal(group?.state.type, "STATE_LIGHT");
  });

  test("PUT /groups answers with a group that did not change", async () => {
    const id = await create();
    const { body } = await api.send("PUT", "/groups", owner, { id, name: "Lamps" });
    assert.equal((body as { id: string }[])[0]?.id, id);
  });

  for (const [command, attributes] of [
    [{ type: "CMD_GROUP_ON" }, { isOn: true }],
    [{ type: "CMD_GROUP_OFF" }, { isOn: false }],
    [{ type: "CMD_DEVICE", state: { type: "STATE_LIGHT", brightness: 0.25 } }, { brightness: 0.25 }],
    [{ type: "CMD_DEVICE", payload: { isOn: true } }, { isOn: true }],
    [{ type: "CMD_DEVICE", state: { isOn: false }, payload: { isOn: true } }, { isOn: false }],
    [{ type: "CMD_DEVICE", state: null, payload: { isOn: true } }, { isOn: true }],
  ] as const) {
    test(`PUT /groups/command sends ${JSON.stringify(command)} to every member`, async () => {
      const id = await create();
      const { status, body } = await api.send("PUT", "/groups/command", owner, { id, ...command });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body, [true]);
      assert.deepEqual(
        issued(),
        lamps.map((lamp) => [lamp, attributes, id]),
      );
    });
  }

  test("PUT /groups/command answers true for each command, or refuses all for one", async () => {
    const id = await create();
    const on = { type: "CMD_GROUP_ON", id };
    assert.deepEqual((await api.send("PUT", "/groups/command", owner, [on, on])).body, [true, true]);
    const refused = await api.send("PUT", "/groups/command", owner, [
      on,
      { type: "CMD_GROUP_ON", id: "nowhere" },
    ]);
    assert.equal(refused.status, 404);
    assert.equal((refused.body as { errors: { index: number }[] }).errors[0]?.index, 1);
    assert.equal(issued().length, 4);
  });

  test("refuses commands to a group without members and to a device's id", async () => {
    const empty = await hub.run({ type: "CMD_GROUP", name: "None", members: [] });
    assert.equal(
      (await api.send("PUT", "/groups/command", owner, { type: "CMD_GROUP_ON", id: empty })).status,
      422,
    );
    const device = { type: "CMD_DEVICE", id: lamps[0], state: { isOn: true } };
    assert.equal((await api.send("PUT", "/groups/command", owner, device)).status, 404);
  });

  test("hides hidden members from a guest, who does not switch them either", async () => {
    const id = await create();
    const guest = await hub.user(roles.GUEST);
    await hub.run({ type: "CMD_DEVICE_VISIBLE", id: lamps[0], visible: false });
    const { body } = await api.send("GET", "/groups", guest.key);
    assert.deepEqual((body as Record<string, { members: string[] }>)[id]?.members, [lamps[1]]);
    const on = [
      { type: "CMD_GROUP_ON", id },
      { type: "CMD_DEVICE", id, state: { isOn: true }, byGuest: false },
      { type: "CMD_GROUP_OFF", id, byGuest: false },
    ];
    assert.deepEqual((await api.send("PUT", "/groups/command", guest.key, on)).body, [true, true, true]);
    assert.deepEqual([...new Set(issued().map((command) => (command as string[])[0]))], [lamps[1]]);
    await api.send("PUT", "/groups/command", owner, { type: "CMD_GROUP_ON", id, byGuest: true });
    assert.equal(issued().length, 5, "others switch all members");
  });

  test("marks commands through the relay for the kernel's listeners", async () => {
    const id = await create();
    const heard: boolean[] = [];
    hub.kernel.subscribe({ decided: (_timestamp, _index, _events, relayed) => heard.push(relayed) });
    for (const listener of ["local", "remote", "console"] as const)
      await hub.api(listener).send("PUT", "/groups/command", owner, { type: "CMD_GROUP_ON", id });
    assert.deepEqual(heard, [false, true, false]);
  });

  test("DELETE /groups removes a group, and needs an existing id", async () => {
    const id = await create();
    assert.equal((await api.send("DELETE", `/groups?groupId=${id}`, owner)).body, true);
    assert.equal(hub.kernel.get("group", id), undefined);
    const again = await api.send("DELETE", `/groups?groupId=${id}`, owner);
    assert.equal(again.status, 404);
    assert.equal((await api.send("DELETE", "/groups", owner)).status, 422);
    assert.equal((await api.send("DELETE", "/groups?groupId=", owner)).status, 422);
  });

  test("ignores a body on a DELETE row that has none", async () => {
    const id = await create();
    assert.equal((await api.send("DELETE", `/groups?groupId=${id}`, owner, { nonsense: 1 })).status, 200);
  });
});
