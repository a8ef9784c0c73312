import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let clock: SimulatedClock;
let lamp: string;
let ann: string;

beforeEach(async () => {
  clock = new SimulatedClock();
  hub = await openTestHub(memoryLog(), clock);
  lamp = await hub.addDevice();
  ann = (await hub.user(roles.IDENTIFIED_USER)).key;
});

const execute = (command: unknown, key = ann): Promise<Answer> =>
  hub.api("local").send("PUT", "/devices/execute", key, command);
const outcome = (query: string, key = ann): Promise<Answer> =>
  hub.api("local").send("GET", `/devices/outcome?${query}`, key);

/** Switches the lamp on. @returns the way to follow that, and the command's id */
async function switched(): Promise<{ track: string; id: string }> {
  const { status, body } = await execute({ type: "CMD_DEVICE_ON", id: lamp });
  const { type, value, track } = body as { type: string; value: unknown; track: string };
  assert.deepEqual([status, type, value], [200, "EXECUTED", null]);
  const [id = ""] = [...hub.kernel.all("command")].map(([each]) => each);
  return { track, id };
}

describe("GET /devices/outcome", () => {
  test("says what became of a command: pending, then done", async () => {
    const { track, id } = await switched();
    const pending = { outcome: "pending", at: null, code: null, message: null };
    const about = { type: "DEVICE_OUTCOME", track, deviceId: lamp };
    assert.deepEqual((await outcome(`track=${track}`)).body, { ...about, ...pending });
    await hub.run({ type: "NOTE_COMMAND_DONE", id });
    const done = { ...about, ...pending, outcome: "done", at: hub.kernel.timestamp };
    assert.deepEqual((await outcome(`track=${track}&wait=25`)).body, done);
  });

  test("says why a command failed, and that one has expired", async () => {
    const failed = await switched();
    await hub.run({ type: "NOTE_COMMAND_FAILED", id: failed.id, code: "unreachable", message: "no answer" });
    const { body } = await outcome(`track=${failed.track}`);
    const { outcome: end, code, message } = body as Record<string, unknown>;
    assert.deepEqual([end, code, message], ["failed", "unreachable", "no answer"]);
    const expired = await switched();
    await hub.run({ type: "EXPIRE_COMMAND", id: expired.id });
    const later = (await outcome(`track=${expired.track}`)).body as Record<string, unknown>;
    assert.deepEqual([later["outcome"], later["message"]], ["expired", null]);
  });

  test("waits for the end, and no longer than asked", async () => {
    const { track, id } = await switched();
    const waiting = outcome(`track=${track}&wait=10`);
    await hub.run({ type: "CMD_ROOM", name: "Attic" });
    await hub.run({ type: "NOTE_COMMAND_DONE", id });
    assert.equal(((await waiting).body as { outcome: string }).outcome, "done");
    const second = await switched();
    let isOver = false;
    const inVain = outcome(`track=${second.track}&wait=10`).finally(() => (isOver = true));
    for (let turns = 0; turns < 20; turns++) await setImmediate();
    await clock.pass(9999);
    assert.equal(isOver, false);
    await clock.pass(1);
    assert.equal(((await inVain).body as { outcome: string }).outcome, "pending");
  });

  test(`finds an end up to ${limits.outcomeSpanMs} ms after the command, and none later`, async () => {
    for (const [ms, end] of [
      [limits.outcomeSpanMs, "expired"],
      [limits.outcomeSpanMs + 1, "unknown"],
    ] as const) {
      // Commits of one millisecond are ahead of the clock.
      await clock.pass(1000);
      const { track, id } = await switched();
      await clock.pass(ms);
      await hub.run({ type: "EXPIRE_COMMAND", id });
      assert.equal(((await outcome(`track=${track}`)).body as { outcome: string }).outcome, end);
    }
  });

  test("is for the sender and for administrators", async () => {
    const { track } = await switched();
    const { key: guest } = await hub.user(roles.GUEST);
    const { key: admin } = await hub.user(roles.USER_ADMIN);
    const bob = await hub.sign({ user_id: "bob", role: roles.IDENTIFIED_USER });
    await hub.run({
      type: "ADD_USER",
      id: "bob",
      email: "b@example.org",
      nickname: "b",
      phone: null,
      role: 8,
    });
    const statuses = [guest, bob, admin].map(async (key) => (await outcome(`track=${track}`, key)).status);
    assert.deepEqual(await Promise.all(statuses), [403, 404, 200]);
  });

  test("knows no forged or foreign name of a command", async () => {
    const { track } = await switched();
    const [at = "", ...request] = track.split("-");
    const later = `${Number(at) + 1}-${request.join("-")}`;
    const forged = [later, `${at}-x`, `${at}-`, at, "x", "0-0", "999999999999999-x", `-${track}`, "1e9-x"];
    for (const name of forged) assert.equal((await outcome(`track=${name}`)).status, 404, name);
    for (const query of ["", "track=", `track=${"1".repeat(limits.idChars + 1)}`, `track=${track}&wait=26`])
      assert.equal((await outcome(query)).status, 422, query);
    assert.equal((await outcome(`track=${track}&wait=-1`)).status, 422);
  });
});

describe("PUT /devices/execute", () => {
  test("names nothing to follow when the device is not concerned", async () => {
    const { body } = await execute({ type: "CMD_DEVICE_META", id: lamp, name: "Spot" });
    assert.deepEqual(body, { type: "EXECUTED", value: null, track: null });
    assert.equal(hub.kernel.get("device", lamp)?.name, "Spot");
  });

  test("switches while nothing can be recorded, says so, and has nothing to follow then", async () => {
    const switchUnrecorded = (): object => ({ accepted: true, timestamp: 1, results: [] });
    hub = await openTestHub(memoryLog(), clock, { ports: { switchUnrecorded } as never });
    lamp = await hub.addDevice();
    const owner = await hub.sign();
    hub.kernel.suspend("the disk is full");
    const { status, body, headers } = await execute({ type: "CMD_DEVICE_ON", id: lamp }, owner);
    assert.deepEqual([status, headers.get("ledge-recorded")], [200, "false"]);
    assert.deepEqual(body, { type: "EXECUTED", value: null, track: null });
  });

  test("refuses what is no single command, unknown devices, and guests", async () => {
    const on = { type: "CMD_DEVICE_ON", id: lamp };
    const { key: guest } = await hub.user(roles.GUEST);
    assert.equal((await execute(on, guest)).status, 403);
    for (const wrong of [[on], [], null, "x", {}, { ...on, type: "CMD_NONE" }, { type: "CMD_DEVICE_ON" }])
      assert.equal((await execute(wrong)).status, 422, JSON.stringify(wrong));
    assert.equal((await execute({ ...on, id: "none" })).status, 404);
    await hub.run({ type: "CMD_DEVICE_VISIBLE", id: lamp, visible: false });
    assert.equal(hub.kernel.size("command"), 0);
  });
});
