import assert from "node:assert/strict";
import { before, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock, upgradeAvailable } from "@ledge/testkit";
import { type Answer, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let owner: string;
let known: string;
let unknown: string;
let hidden: string;
let plain: string;

before(async () => {
  hub = await openTestHub(memoryLog(), new SimulatedClock());
  owner = await hub.sign();
  const capabilities = ["DEVICE", "ON_OFF", "UPGRADE"];
  known = await hub.addDevice({ capabilities });
  unknown = await hub.addDevice({ capabilities, native: "2" });
  hidden = await hub.addDevice({ capabilities, native: "3" });
  plain = await hub.addDevice({ native: "4" });
  await hub.run({ type: "NOTE_UPGRADE", id: known, upgrade: upgradeAvailable });
  await hub.run({ type: "CMD_DEVICE_VISIBLE", id: hidden, visible: false });
});

const command = (body: unknown, key = owner): Promise<Answer> =>
  hub.api("local").send("PUT", "/devices/command", key, body);
const infoOf = async (id: string): Promise<Record<string, unknown>> =>
  (await command({ type: "CMD_GET_UPGRADE_INFO", id })).body as Record<string, unknown>;
const idsIn = (body: unknown): string[] => (body as { id: string }[]).map(({ id }) => id);

test("answers one UPGRADE_INFO as an object, and all visible ones as a list", async () => {
  assert.deepEqual(await infoOf(known), { type: "UPGRADE_INFO", id: known, ...upgradeAvailable });
  assert.equal((await infoOf(unknown))["status"], "UNKNOWN");
  const all = [{ type: "CMD_GET_UPGRADE_INFOS" }];
  assert.deepEqual(idsIn((await command(all)).body), [known, unknown, hidden]);
  const { key } = await hub.user(roles.REMOTE_GUEST);
  const answer = await hub.api("remote").send("PUT", "/devices/command", key, all);
  assert.deepEqual(idsIn(answer.body), [known, unknown]);
});

test("names the index of an unknown device and of one without UPGRADE", async () => {
  const ask = (id: string): object => ({ type: "CMD_GET_UPGRADE_INFO", id });
  const missing = await command([ask(known), ask("nobody")]);
  assert.deepEqual(
    [missing.status, (missing.body as { errors: object[] }).errors],
    [404, [{ index: 1, field: "id", message: "no device nobody" }]],
  );
  const without = await command([ask(known), ask(plain)]);
  assert.deepEqual(
    [without.status, (without.body as { errors: object[] }).errors],
    [422, [{ index: 1, field: "id", message: "the device has no UPGRADE" }]],
  );
});

test("carries out all commands and returns the first answer", async () => {
  const on = { type: "CMD_DEVICE_ON", id: plain };
  const info = { type: "CMD_GET_UPGRADE_INFO", id: known };
  const reset = { type: "CMD_RESET_IGNORED" };
  const issued = (): number => hub.kernel.size("command");
  const sent = issued();
  assert.equal(((await command([on, info, reset])).body as { id: string }).id, known);
  assert.equal((await command([on, reset, info])).body, true);
  assert.equal((await command([on])).body, null);
  assert.equal(issued(), sent + 3);
});

test("cancels only an upgrade that waits, and not through an adapter that cannot", async () => {
  const cancel = (id: string): object => ({ type: "CMD_CANCEL_UPGRADE", id });
  const message = async (id: string): Promise<[number, unknown]> => {
    const { status, body } = await command(cancel(id));
    return [status, (body as { errors?: { message: string }[] }).errors?.[0]?.message];
  };
  assert.deepEqual(await message(known), [422, "no upgrade waits"]);
  assert.deepEqual(await message(unknown), [422, "no upgrade waits"]);
  assert.deepEqual(await message(plain), [422, "the device has no UPGRADE"]);
  assert.equal((await message("nobody"))[0], 404);
  await hub.run({ type: "NOTE_UPGRADE", id: hidden, upgrade: { ...upgradeAvailable, status: "INSTALLING" } });
  assert.deepEqual(await message(hidden), [422, "the upgrade has begun"]);
  await hub.run({ type: "NOTE_UPGRADE", id: hidden, upgrade: { ...upgradeAvailable, status: "REQUESTED" } });
  assert.equal((await message(hidden))[0], 404, "its adapter does not know the request");
});

test("refuses the whole list for one command, and names its index", async () => {
  const newest = hub.kernel.timestamp;
  const info = { type: "CMD_GET_UPGRADE_INFO", id: known };
  const answer = await command([
    { type: "CMD_DEVICE_ON", id: plain },
    info,
    { type: "CMD_START_UPGRADE", id: unknown },
  ]);
  assert.equal(answer.status, 422);
  assert.equal((answer.body as { errors: { index: number }[] }).errors[0]?.index, 2);
  assert.equal(hub.kernel.timestamp, newest);
});

test("CMD_START_UPGRADE requests one upgrade at a time, for admins only", async () => {
  const start = { type: "CMD_START_UPGRADE", id: known };
  assert.deepEqual([(await command(start)).body, (await infoOf(known))["status"]], [null, "REQUESTED"]);
  assert.equal((await command(start)).status, 422);
  const { key } = await hub.user(roles.IDENTIFIED_USER);
  assert.equal((await command(start, key)).status, 403);
});
