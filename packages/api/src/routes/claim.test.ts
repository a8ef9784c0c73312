import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openClaims, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let api: Client;
let closed: string | undefined;

beforeEach(async () => {
  closed = undefined;
  const claim = { ...openClaims, closed: () => closed };
  hub = await openTestHub(memoryLog(), new SimulatedClock(), { claimed: false, ports: { claim } });
  api = hub.api("local");
});

const ann = "/hub/claim?email=ann@example.org";
const claimed = (): unknown => hub.kernel.get("hub", hub.hubId)?.state;
const claimFrom = async (origin: string): Promise<number> =>
  (await api.raw("POST", ann, undefined, { headers: { origin } })).status;

test("the first claim creates the owner, and its event names the request", async () => {
  const answer = await api.send("POST", ann);
  assert.deepEqual([answer.status, answer.body], [200, true]);
  const owner = hub.kernel.get("hub", hub.hubId)?.owner ?? "";
  const { user, role } = hub.kernel.get("user", owner)?.user_info ?? {};
  assert.deepEqual([user?.email, user?.nickname, role], ["ann@example.org", "ann", roles.OWNER_ADMIN]);
  const event = [...hub.kernel.log.read()].flatMap(({ events }) => events).find(isClaim);
  assert.match(event?.cause ?? "", /^request:/);
});

const isClaim = ({ type }: { type: string }): boolean => type === "HubClaimed";

test("accepts one of many concurrent claims, and refuses later ones", async () => {
  const emails = Array.from({ length: 50 }, (_, n) => `/hub/claim?email=u${n}@example.org`);
  const statuses = (await Promise.all(emails.map((path) => api.send("POST", path)))).map(
    ({ status }) => status,
  );
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, ...Array.from({ length: 49 }, () => 422)],
  );
  assert.equal(hub.kernel.size("user"), 1);
  closed = "too late";
  assert.equal((await api.send("POST", ann)).status, 422);
});

test("says what opens a closed claim window; the console can claim without it", async () => {
  closed = "push the button";
  const { status, body } = await api.send("POST", ann);
  assert.deepEqual([status, body], [403, { message: "push the button" }]);
  assert.equal(claimed(), "factory_new");
  assert.equal((await hub.api("console").send("POST", ann)).status, 200);
});

test("refuses a claim through the relay", async () => {
  const { status, body } = await hub.api("remote").send("POST", ann);
  assert.deepEqual([status, body], [403, { message: "this is for the local network only" }]);
  assert.equal(claimed(), "factory_new");
});

test("accepts a claim from the hub's own page and listed origins only", async () => {
  for (const origin of ["https://evil.example", "http://cabin.local", "http://cabin.local:80", "null"]) {
    assert.equal(await claimFrom(origin), 403, origin);
  }
  assert.equal(claimed(), "factory_new");
  assert.equal(await claimFrom("http://cabin.local:8893"), 200);
  assert.equal(await claimFrom("https://setup.example.org"), 422);
});

test("refuses a malformed email address", async () => {
  const long = `${"a".repeat(limits.emailChars - 2)}@b`;
  for (const email of ["", "ann", "@", "a@", "@b", "a@b@c", "a b@c", "a%0A@b", "a%00@b", `a${long}`]) {
    assert.equal((await api.send("POST", `/hub/claim?email=${email}`)).status, 422, email);
  }
  assert.equal((await api.send("POST", "/hub/claim")).status, 422);
  assert.equal((await api.send("POST", `/hub/claim?email=${long}`)).status, 200);
});
