import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { KernelError } from "@ledge/kernel";
import { memoryLog } from "@ledge/log";
import type { Device, LoggedEvent } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let api: Client;
let owner: string;

beforeEach(async () => {
  hub = await openTestHub(memoryLog(), new SimulatedClock());
  api = hub.api("local");
  owner = await hub.sign();
});

const events = (type: string): LoggedEvent[] =>
  [...hub.kernel.log.read()].flatMap((commit) => commit.events).filter((event) => event.type === type);

for (const act of ["restart", "reboot", "shutdown"] as const) {
  test(`records ${act} with its user, then begins it`, async () => {
    const { status, body } = await api.send("GET", `/hub/${act}`, owner);
    assert.deepEqual([status, body, hub.acts], [200, true, [act]]);
    const [event, ...more] = events("StopRequested") as (LoggedEvent & { act: string; origin: string })[];
    assert.deepEqual([event?.act, event?.origin, more], [act, "user:owner", []]);
  });

  test(`refuses ${act} with a reason and records nothing if the machine cannot do it`, async () => {
    hub.machineRefusal = "there is nobody to do it";
    const { status, body } = await api.send("GET", `/hub/${act}`, owner);
    assert.deepEqual([status, body, hub.acts], [422, { message: "there is nobody to do it" }, []]);
    assert.deepEqual(events("StopRequested"), []);
  });

  test(`allows ${act} for admins only`, async () => {
    const { key } = await hub.user(8);
    assert.equal((await api.send("GET", `/hub/${act}`, key)).status, 403);
    assert.equal((await api.send("GET", `/hub/${act}`)).status, 401);
    assert.deepEqual(hub.acts, []);
  });
}

test("restarts a read-only hub without a record, but refuses to sync it", async () => {
  hub.kernel.suspend("the disk is full");
  await assert.rejects(hub.run({ type: "NOTE_STOP", id: hub.hubId, act: "restart" }), KernelError);
  assert.equal((await api.send("GET", "/hub/restart", owner)).status, 200);
  assert.deepEqual(hub.acts, ["restart"]);
  const { status, body } = await api.send("GET", "/hub/sync", owner);
  assert.deepEqual([status, body], [507, { message: "nothing can be written now: the disk is full" }]);
});

test("sync saves a snapshot of the current state", async () => {
  await hub.run({ type: "CMD_ROOM", name: "Hall" });
  const { timestamp, format } = hub.kernel.snapshot();
  assert.equal(hub.kernel.log.loadSnapshot(format), undefined);
  assert.equal((await api.send("GET", "/hub/sync", owner)).body, true);
  while (hub.kernel.log.loadSnapshot(format) === undefined) await new Promise(setImmediate);
  assert.equal(hub.kernel.log.loadSnapshot(format)?.timestamp, timestamp);
});

describe("POST /hub/remotepair", () => {
  const far = {
    type: "LIGHT",
    id: "far-1",
    name: "Far lamp",
    capabilities: { type: "SET", values: ["DEVICE", "ON_OFF"] },
    state: { type: "STATE_LIGHT", isOn: true },
    room: [],
  };
  const pair = (body: unknown = far): ReturnType<Client["send"]> =>
    hub.api("console").send("POST", "/hub/remotepair", undefined, body);
  const found = (): Device[] => [...hub.kernel.all("device")].map(([, device]) => device);

  /** Resolves when what was begun is in the log. */
  async function settled(): Promise<void> {
    for (let turn = 0; turn < 3; turn++)
      await hub.run({ type: "ADD_COLOR", id: hub.hubId, color: `#00000${turn}` });
  }

  test("answers null, then adds the device, unreachable, under an id of the hub's own", async () => {
    const { status, body } = await pair();
    assert.deepEqual([status, body], [200, null]);
    await settled();
    const [device, ...more] = found();
    assert.deepEqual([device?.type, device?.name, more], ["LIGHT", "Far lamp", []]);
    assert.deepEqual(device?.capabilities.values, ["DEVICE", "ON_OFF"]);
    assert.deepEqual([device?.state["reachable"], device?.state["isOn"]], [false, false]);
    assert.notEqual(device?.id, far.id);
  });

  test("refuses a second device of an id until the first is removed", async () => {
    await pair();
    await settled();
    assert.equal((await pair()).status, 422);
    await api.send("DELETE", "/devices", owner, [found()[0]?.id]);
    assert.equal((await pair()).status, 200);
    await settled();
    assert.equal(found().length, 1);
  });

  test("refuses a malformed device and adds nothing", async () => {
    for (const [body, status] of [
      [{ ...far, type: "AIRSHIP" }, 422],
      [{ ...far, name: "" }, 422],
      [{ ...far, id: 5 }, 422],
      [{ ...far, capabilities: ["ON_OFF"] }, 422],
      [{ ...far, model: "m".repeat(129) }, 422],
      [[far], 422],
      [null, 422],
    ] as const) {
      assert.equal((await pair(body)).status, status, JSON.stringify(body));
    }
    await settled();
    assert.deepEqual(found(), []);
  });

  test("refuses every user, even the owner", async () => {
    assert.equal((await api.send("POST", "/hub/remotepair", owner, far)).status, 403);
    assert.equal((await hub.api("remote").send("POST", "/hub/remotepair", owner, far)).status, 403);
    assert.equal((await api.send("POST", "/hub/remotepair", undefined, far)).status, 401);
  });
});
