import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, roles, scanId } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openTestHub, stray, type TestHub } from "../test-hub.ts";

interface Delta {
  readonly timestamp: number;
  readonly full: boolean;
  readonly devices: { id: string; ignored: boolean; info: string | null; status: { name: string } | null }[];
}

describe("a scan over HTTP", () => {
  let hub: TestHub;
  let api: Client;
  let owner: string;
  let clock: SimulatedClock;

  beforeEach(async () => {
    clock = new SimulatedClock();
    hub = await openTestHub(memoryLog(), clock);
    api = hub.api("local");
    owner = await hub.sign();
  });

  const get = async (ts?: number): Promise<Delta> => {
    const answer = await api.send("GET", `/hub/scan${ts === undefined ? "" : `?ts=${ts}`}`, owner);
    assert.equal(answer.status, 200);
    return answer.body as Delta;
  };
  const left = (): number => (hub.kernel.get("timer", scanId)?.due ?? 0) - hub.kernel.timestamp;

  test("each request prolongs the scan, by more through the relay than locally", async () => {
    await get();
    assert.equal(left(), limits.scanLocalMs);
    await clock.pass(limits.scanLocalMs / 2);
    await get();
    assert.equal(left(), limits.scanLocalMs);
    await hub.api("remote").send("GET", "/hub/scan", owner);
    assert.equal(left(), limits.scanRemoteMs);
    await get();
    assert.ok(left() > limits.scanLocalMs, "one client shortens no other's time");
  });

  test("answers the changes since a cursor, or all finds if one is gone or the scan is new", async () => {
    const first = await get();
    assert.deepEqual([first.full, first.devices], [true, []]);
    await hub.run(stray);
    const { timestamp, full, devices } = await get(first.timestamp);
    assert.deepEqual([full, devices.map(({ status }) => status?.name)], [false, ["Lamp"]]);
    assert.deepEqual(await get(timestamp), { type: "SCAN_DELTA", timestamp, full: false, devices: [] });
    assert.equal((await get(timestamp + 1_000_000)).full, true);
    await hub.run({ ...stray, native: "other" });
    const before = await get();
    await hub.run({ type: "NOTE_LOST", protocol: stray.protocol, native: "other" });
    const after = await get(before.timestamp);
    assert.deepEqual([after.full, after.devices.length], [true, 1]);
    assert.equal((await get(after.timestamp)).full, false);
    assert.deepEqual((await api.send("GET", "/hub/stopscan", owner)).body, true);
    assert.deepEqual((await api.send("GET", "/hub/stopscan", owner)).body, true);
    const next = await get(after.timestamp);
    assert.deepEqual([next.full, next.devices], [true, []]);
  });

  test("shows help in the caller's language", async () => {
    await get();
    await hub.run({ ...stray, description: null, pairingStatus: "CONNECTING", help: "pairing.press-button" });
    for (const [language, text] of [
      ["en", "Press the button on the device."],
      ["sv", "Tryck på knappen på enheten."],
      ["de", "Drücken Sie die Taste am Gerät."],
    ] as const) {
      const { body } = await api.raw("GET", "/hub/scan", owner, { headers: { "accept-language": language } });
      const [find] = (body as Delta).devices;
      assert.deepEqual([find?.info, find?.status], [text, null]);
    }
  });

  test("refuses bad input: 404 for an unknown find, otherwise 422", async () => {
    await get();
    for (const [body, status] of [
      [{ id: "nobody", ignored: false }, 404],
      [{ id: "nobody" }, 422],
      [{ id: 5, ignored: false }, 422],
      [{ type: "SET", id: "x", ignored: false }, 422],
      [[{ id: "x", ignored: false }], 422],
    ] as const)
      assert.equal((await api.send("PUT", "/hub/scan", owner, body)).status, status, JSON.stringify(body));
    assert.equal((await api.send("GET", "/hub/scan?ts=x", owner)).status, 422);
  });

  test("removes an ignored device, and answers whether it existed", async () => {
    const [id, other] = [await hub.addDevice(), await hub.addDevice({ native: "2" })];
    const ignore = (...ids: string[]): Promise<{ status: number; body: unknown }> =>
      api.send(
        "PUT",
        "/devices/command",
        owner,
        ids.map((each) => ({ type: "CMD_IGNORE_DEVICE", id: each })),
      );
    assert.deepEqual((await ignore(id)).body, true);
    assert.deepEqual((await ignore(id)).body, false);
    assert.equal((await ignore(other, id)).status, 404, "one that is not there refuses a whole list");
    assert.notEqual(hub.kernel.get("device", other), undefined);
    const user = await hub.user(roles.IDENTIFIED_USER);
    const refused = await api.send("PUT", "/devices/command", user.key, [{ type: "CMD_RESET_IGNORED" }]);
    assert.equal(refused.status, 403);
    assert.deepEqual(
      (await api.send("PUT", "/devices/command", owner, [{ type: "CMD_RESET_IGNORED" }])).body,
      true,
    );
  });
});
