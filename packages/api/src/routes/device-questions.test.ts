import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, type LoggedEvent, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { AdapterRequest, Asking, HubPorts, RequestOutcome } from "../ports.ts";
import { type Answer, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let owner: string;
let ids: Record<"lamp" | "camera" | "speaker" | "pump", string>;
let asked: { request: AdapterRequest; asking: Asking }[];
let outcomes: (RequestOutcome | undefined)[];
let offering: readonly string[];

beforeEach(async () => {
  asked = [];
  outcomes = [];
  offering = [];
  const ask: HubPorts["ask"] = async (request, asking) => {
    asked.push({ request, asking });
    return outcomes.shift();
  };
  const ports = { ask, offering: async () => offering };
  hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports });
  owner = await hub.sign();
  const add = (native: string, type: string, ...capabilities: string[]): Promise<string> =>
    hub.addDevice({ native, class: type, capabilities: ["DEVICE", ...capabilities] });
  ids = {
    lamp: await add("lamp", "LIGHT", "ON_OFF"),
    camera: await add("camera", "CAMERA"),
    speaker: await add("speaker", "MEDIA_RENDERER"),
    pump: await add("pump", "THERMOSTAT", "AIRCON"),
  };
});

const command = (body: unknown, key = owner): Promise<Answer> =>
  hub.api("local").send("PUT", "/devices/command", key, body);
const answered = (value: unknown): RequestOutcome => ({ answered: true, value });

const track = { title: "Noon", artist: null, album: null, durationMs: 1000 };
const wifi = { type: "WIFI", ssid: "Home", signal: -40, isOpen: false, connected: true };
const pump = { type: "AIRCON_PUMP", id: "1", name: "Brine", isOn: true, error: null };
const queue = { type: "MR_QUEUE", currentTrack: 1, tracks: [{ type: "MR_TRACK", number: 1, ...track }] };
const directory = {
  type: "MR_CD",
  objectId: "0",
  total: 1,
  items: [{ type: "MR_CD_ITEM", objectId: "1", isContainer: false, ...track }],
};
const result = { type: "CREDENTIALS_RESULT", credentialStatus: "OK" };

test("an air conditioner that shows its pumps is not asked", async () => {
  const described = (name: string, fieldType: "BOOL" | "TEXT"): object => ({
    name,
    fieldType,
    unit: null,
    writable: false,
  });
  const id = await hub.addDevice({
    native: "unit",
    class: "THERMOSTAT",
    capabilities: ["DEVICE", "AIRCON"],
    stateExtras: [described("pump.brine", "BOOL"), described("pump.brine.error", "TEXT")],
  });
  const attributes = { "extras.pump.brine": true, "extras.pump.brine.error": "no flow" };
  await hub.run({ type: "REPORT_DEVICE", id, attributes, at: 1 });
  const { status, body } = await command([{ type: "CMD_GET_AIRCON_PUMPS", id }]);
  const brine = { type: "AIRCON_PUMP", id: "brine", name: "Brine", isOn: true, error: "no flow" };
  assert.deepEqual([status, body, asked], [200, [brine], []]);
});

describe("questions to one device", () => {
  for (const [type, device, fields, value] of [
    ["GET_CD", "speaker", { objectId: "music", start: 5, count: limits.listItems }, directory],
    ["GET_CD", "speaker", {}, directory],
    ["GET_QUEUE", "speaker", {}, queue],
    ["GET_AIRCON_PUMPS", "pump", {}, [pump]],
    ["USE_CREDENTIALS", "camera", { username: "u", password: "p" }, result],
    ["CHANGE_CREDENTIALS", "camera", { username: "u", password: "p" }, result],
    ["SCAN_WIFIS", "camera", {}, [wifi]],
    ["SET_WIFI", "camera", { ssid: "Home", password: "p" }, true],
    ["SET_WIFI", "camera", { ssid: "Guests", password: null }, true],
  ] as const) {
    test(`CMD_${type} ${JSON.stringify(fields)} answers what the device's adapter answers`, async () => {
      outcomes = [answered(value)];
      const id = ids[device];
      const { status, body } = await command([{ type: `CMD_${type}`, id, ...fields }]);
      const isObject = typeof value === "object" && !Array.isArray(value);
      const hasId = type === "GET_QUEUE" || value === result;
      assert.deepEqual([status, body], [200, isObject && hasId ? { ...value, id } : value]);
      const asking = { among: "requests", protocol: "sim" };
      assert.deepEqual(asked, [{ request: { ...fields, type, native: device }, asking }]);
    });

    test(`CMD_${type} ${JSON.stringify(fields)} refuses a lamp and an unknown device`, async () => {
      const item = { type: `CMD_${type}`, ...fields };
      assert.equal((await command({ ...item, id: ids.lamp })).status, 422);
      assert.equal((await command({ ...item, id: "nobody" })).status, 404);
      assert.deepEqual(asked, []);
    });
  }

  test("turns a failed or malformed answer into an error with a message", async () => {
    const item = { type: "CMD_GET_QUEUE", id: ids.speaker };
    for (const [outcome, status] of [
      [undefined, 404],
      [{ answered: false, code: "unsupported", message: "cannot" }, 422],
      [{ answered: false, code: "refused", message: "no" }, 422],
      [{ answered: false, code: "timeout", message: "silence" }, 504],
      [{ answered: false, code: "unreachable", message: "away" }, 503],
      [answered(null), 502],
      [answered([]), 502],
      [answered({ ...queue, tracks: "many" }), 502],
    ] as const) {
      outcomes = [outcome];
      const answer = await command([item]);
      assert.equal(answer.status, status);
      assert.equal(typeof (answer.body as { message: unknown }).message, "string");
    }
  });

  test("removes fields that no client may see from answers", async () => {
    outcomes = [answered([{ ...wifi, password: "canary" }]), answered({ ...result, password: "canary" })];
    for (const type of ["CMD_SCAN_WIFIS", "CMD_USE_CREDENTIALS"]) {
      const answer = await command({ type, id: ids.camera, username: "u", password: "canary" });
      assert.equal(answer.status, 200);
      assert.doesNotMatch(JSON.stringify(answer.body), /canary/);
    }
  });

  for (const [fields, field] of [
    [{ start: -1 }, "start"],
    [{ count: 0 }, "count"],
    [{ count: limits.listItems + 1 }, "count"],
    [{ objectId: "" }, "objectId"],
  ] as const) {
    test(`CMD_GET_CD refuses ${JSON.stringify(fields)}`, async () => {
      const answer = await command({ type: "CMD_GET_CD", id: ids.speaker, ...fields });
      assert.equal(answer.status, 422);
      assert.equal((answer.body as { errors: { field: string }[] }).errors[0]?.field, field);
    });
  }
});

describe("questions to all adapters", () => {
  const host = (identifier: string) => ({
    type: "CAMERA_HOST",
    identifier,
    ip: "10.0.0.9",
    name: "Camera",
    manufacturer: null,
    model: null,
    alreadyPaired: false,
  });
  const search = { type: "CMD_SEARCH" };

  test("answers an empty list if no adapter offers the request", async () => {
    for (const type of ["CMD_SEARCH", "CMD_GET_FNIP_CONFIGS"]) {
      const { status, body } = await command({ type });
      assert.deepEqual([status, body], [200, []]);
    }
  });

  test("joins the adapters' lists and skips one that fails, unless the others are empty", async () => {
    const away: RequestOutcome = { answered: false, code: "unreachable", message: "away" };
    offering = ["one", "two"];
    outcomes = [answered([host("a")]), answered([host("b")])];
    assert.deepEqual((await command(search)).body, [host("a"), host("b")]);
    outcomes = [away, answered([host("b")])];
    assert.deepEqual((await command(search)).body, [host("b")]);
    outcomes = [answered([]), away];
    assert.equal((await command(search)).status, 503);
    outcomes = [answered([]), answered([])];
    assert.deepEqual((await command(search)).body, []);
    const config = {
      type: "FNIP_CONFIG",
      id: "1",
      name: "Relays",
      address: "10.0.0.8",
      outputs: 6,
      dimmable: false,
    };
    offering = ["one"];
    outcomes = [answered([config])];
    assert.deepEqual((await command({ type: "CMD_GET_FNIP_CONFIGS" })).body, [config]);
  });
});

test("CMD_CAMERA_HOST_AT_IP answers like POST /hub/pairIp, for local addresses only", async () => {
  const at = { type: "CMD_CAMERA_HOST_AT_IP", ip: "10.0.0.9", username: "u", password: "p" };
  outcomes = [answered({ code: 0, host: { name: "Camera", password: "canary" } })];
  const { body } = await command([at]);
  const { code, host } = body as { code: number; host: unknown };
  assert.deepEqual([code, host], [0, { name: "Camera" }]);
  assert.deepEqual(asked[0]?.request, {
    type: "CAMERA_AT_IP",
    ip: "10.0.0.9",
    username: "u",
    password: "p",
    pair: false,
  });
  assert.equal((await command([{ ...at, ip: "8.8.8.8" }])).status, 422);
});

describe("the record of a request that acts", () => {
  const records = (): unknown[] =>
    [...hub.kernel.log.read()]
      .flatMap(({ events }) => events)
      .filter(({ type }) => type === "AdapterAsked")
      .map((event) => {
        const { request, device, origin } = event as LoggedEvent & { request: string; device: string | null };
        return [request, device, origin];
      });
  const opened = { username: "canary", password: "canary" };
  const whole = (): string => JSON.stringify([...hub.kernel.log.read()]);

  test("names user, request and device but no credential, whatever the outcome", async () => {
    offering = ["sim"];
    const { key } = await hub.user(roles.USER_ADMIN);
    const id = ids.camera;
    outcomes = [
      answered(result),
      { answered: false, code: "refused", message: "no" },
      answered({ code: 11 }),
    ];
    assert.equal((await command({ type: "CMD_CHANGE_CREDENTIALS", id, ...opened }, key)).status, 200);
    assert.equal(
      (await command({ type: "CMD_SET_WIFI", id, ssid: "canary", password: "canary" })).status,
      422,
    );
    const at = { type: "CMD_CAMERA_HOST_AT_IP", id, ip: "10.0.0.9", ...opened };
    assert.equal((await command([at])).status, 200);
    assert.deepEqual(records(), [
      ["CHANGE_CREDENTIALS", id, "user:user-32"],
      ["SET_WIFI", id, "user:owner"],
      ["CAMERA_AT_IP", null, "user:owner"],
    ]);
    assert.doesNotMatch(whole(), /canary/);
  });

  test("is missing if the request only reads or reaches no adapter", async () => {
    outcomes = [undefined];
    const use = { type: "CMD_USE_CREDENTIALS", id: ids.camera, ...opened };
    assert.equal((await command([use])).status, 404);
    offering = ["sim"];
    outcomes = [answered([wifi]), answered(queue)];
    await command([
      { type: "CMD_SCAN_WIFIS", id: ids.camera },
      { type: "CMD_GET_QUEUE", id: ids.speaker },
    ]);
    assert.equal((await command({ ...use, id: ids.lamp })).status, 422);
    assert.equal((await command([{ type: "CMD_CAMERA_HOST_AT_IP", ip: "8.8.8.8" }])).status, 422);
    assert.deepEqual(records(), []);
  });

  test("is required: the hub carries out no part of a list that it cannot record", async () => {
    offering = ["sim"];
    hub.kernel.suspend("the disk is full");
    const use = { type: "CMD_USE_CREDENTIALS", id: ids.camera, ...opened };
    assert.equal((await command([{ type: "CMD_DEVICE_ON", id: ids.lamp }, use])).status, 507);
    assert.deepEqual(asked, []);
  });
});

test("carries out a whole list and returns the first answer or refusal", async () => {
  const on = { type: "CMD_DEVICE_ON", id: ids.lamp };
  const ask = (type: string, id: string): object => ({ type, id });
  const list = [on, ask("CMD_GET_AIRCON_PUMPS", ids.pump), ask("CMD_GET_QUEUE", ids.speaker)];
  outcomes = [answered([pump]), answered(queue)];
  assert.deepEqual((await command(list)).body, [pump]);
  outcomes = [undefined, answered(queue)];
  assert.equal((await command(list)).status, 404);
  outcomes = [answered([pump]), undefined];
  assert.equal((await command(list)).status, 200);
  assert.equal(asked.length, 6);
  assert.equal(hub.kernel.size("command"), 3);
  assert.equal((await command([on, ask("CMD_GET_QUEUE", ids.lamp)])).status, 422);
  assert.equal(hub.kernel.size("command"), 3);
});

test(`refuses a whole list with more than ${limits.questionsPerRequest} questions`, async () => {
  const ask = { type: "CMD_GET_QUEUE", id: ids.speaker };
  const list = Array.from({ length: limits.questionsPerRequest }, () => ask);
  const on = { type: "CMD_DEVICE_ON", id: ids.lamp };
  outcomes = list.map(() => answered(queue));
  assert.equal((await command([on, ...list])).status, 200);
  assert.equal(asked.length, limits.questionsPerRequest);
  const { status, body } = await command([on, ...list, ask]);
  const [problem] = (body as { errors: object[] }).errors;
  assert.deepEqual([status, problem && "index" in problem && problem.index], [422, list.length + 1]);
  assert.equal(asked.length, limits.questionsPerRequest);
  assert.equal(hub.kernel.size("command"), 1);
});

test("refuses to remove or ignore a device that the caller may not configure", async () => {
  const { key } = await hub.user(roles.USER_ADMIN);
  const access = { type: "CMD_DEVICE_ACCESS", id: ids.lamp, rwx: 0b111_101_101 };
  assert.equal((await hub.api("local").send("PUT", "/devices", owner, [access])).body, true);
  assert.equal(
    (await hub.api("local").send("PUT", "/devices", owner, [{ ...access, rwx: 511 }])).status,
    422,
  );
  assert.equal((await hub.api("local").send("DELETE", "/devices", key, [ids.pump, ids.lamp])).status, 403);
  assert.equal((await command([{ type: "CMD_IGNORE_DEVICE", id: ids.lamp }], key)).status, 403);
  assert.equal(hub.kernel.size("device"), 4);
  assert.equal((await hub.api("local").send("DELETE", "/devices", owner, [ids.lamp])).body, true);
});
