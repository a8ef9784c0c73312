import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { PastHistory } from "../past-questions.ts";
import { type Client, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let api: Client;
let owner: string;
let lamp: string;
/** What was asked of the past. */
let asked: PastHistory[];

beforeEach(async () => {
  asked = [];
  const past = {
    ask: async (task: string, args: unknown): Promise<Uint8Array> => {
      assert.equal(task, "history");
      asked.push(args as PastHistory);
      return Buffer.from("[]");
    },
  };
  hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { past } });
  api = hub.api("local");
  owner = await hub.sign();
  lamp = await hub.addDevice();
  await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [11] });
});

const status = async (query: string, key = owner): Promise<number> =>
  (await api.send("GET", `/devices/history?${query}`, key)).status;

test("passes the query to the log's reader, with 300 points by default", async () => {
  assert.equal(await status(`deviceId=${lamp}`), 200);
  assert.equal(await status(`deviceId=${lamp}&attribute=isOn&from=1&to=2&points=3`), 200);
  assert.equal(await status("deviceId=gone&attribute=isOn"), 200, "whether it was there the log says");
  assert.equal(await status(`deviceId=${lamp}&attribute=nothing&points=${limits.historyPoints}`), 200);
  const usual = { deviceId: lamp, attribute: undefined, from: undefined, to: undefined, points: 300 };
  assert.deepEqual(asked, [
    { ...usual, isKnown: true, hasAttribute: false },
    { deviceId: lamp, attribute: "isOn", from: 1, to: 2, points: 3, isKnown: true, hasAttribute: true },
    { ...usual, deviceId: "gone", attribute: "isOn", isKnown: false, hasAttribute: false },
    { ...usual, attribute: "nothing", points: limits.historyPoints, isKnown: true, hasAttribute: false },
  ]);
});

test("refuses a query beyond the limits without reading the log", async () => {
  const wrong = [
    "",
    "deviceId=",
    `deviceId=${lamp}&attribute=${"x".repeat(limits.nameChars + 1)}`,
    `deviceId=${lamp}&points=0`,
    `deviceId=${lamp}&points=${limits.historyPoints + 1}`,
    `deviceId=${lamp}&from=-1`,
    `deviceId=${lamp}&to=1.5`,
  ];
  for (const query of wrong) assert.equal(await status(query), 422, query);
  assert.deepEqual(asked, []);
});

test("hides the history of clients, and every history without the feature", async () => {
  const note = { session: true, reachable: true, at: hub.clock.wall() };
  const user = hub.kernel.all("user").next().value?.[0] ?? assert.fail();
  await hub.run({ type: "NOTE_UI_DEVICE", user, client: "phone", ...note });
  const client = [...hub.kernel.all("device")].find(([, { type }]) => type === "UI_DEVICE")?.[0];
  assert.equal(await status(`deviceId=${client}&attribute=session`), 404);
  await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [] });
  assert.equal(await status(`deviceId=${lamp}&attribute=isOn`), 403);
  assert.deepEqual(asked, []);
});

test("serves users but not guests", async () => {
  const { key } = await hub.user(roles.IDENTIFIED_USER);
  assert.equal(await status(`deviceId=${lamp}`, key), 200);
  for (const role of [roles.GUEST, roles.REMOTE_GUEST])
    assert.equal(await status(`deviceId=${lamp}`, (await hub.user(role)).key), 403);
});
