import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigurationObject, UpgradeInfo, UpgradeReport } from "@ledge/model";
import { type Answer, eventually, ledge, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();

const configuration = async (id: string): Promise<ConfigurationObject | undefined> => {
  const { status, json } = await home.call("GET", `/devices/configuration?deviceId=${id}`);
  return status === 200 ? (json as ConfigurationObject) : undefined;
};
const settled = (id: string): Promise<ConfigurationObject> =>
  eventually("the device's answer", async () => {
    const found = await configuration(id);
    return found?.status === "PENDING" ? undefined : found;
  });

test("a device takes settings, refuses impossible ones, and returns to its defaults", async () => {
  const { id } = await home.device("Living room thermostat");
  const fresh = await settled(id);
  assert.deepEqual(
    fresh.template?.parameters.map(({ name }) => name),
    ["offset", "lock", "curve", "title", "serial", "code"],
  );
  const own = { offset: 0, lock: false, curve: 1, title: "", serial: "living/thermostat" };
  assert.deepEqual(fresh.parameters, own);
  const set = (parameters: object): Promise<Answer> =>
    home.call("PUT", "/devices/configuration", { type: "CONFIGURATION", id, parameters });
  assert.deepEqual(await set({ ...own, offset: -1.5, curve: 2, title: "Hall" }), { status: 200, json: true });
  const changed = { ...own, offset: -1.5, curve: 2, title: "Hall" };
  assert.deepEqual((await settled(id)).parameters, changed);
  assert.equal((await set({ serial: "other" })).status, 422);
  assert.deepEqual(await set({ title: "more than the display shows" }), { status: 200, json: true });
  const { status, parameters, message } = await settled(id);
  assert.deepEqual([status, parameters], ["FAILED", changed]);
  assert.equal(message, "title: the display shows 16 characters");
  await home.hub.stop();
  await home.start();
  assert.deepEqual((await settled(id)).parameters, changed);
  // Its adapter may not run yet: then the request fails as unreachable and is sent again.
  await eventually("the defaults", async () => {
    assert.deepEqual(await home.call("DELETE", `/devices/configuration?deviceId=${id}`), {
      status: 200,
      json: true,
    });
    return (await settled(id)).status === "APPLIED" ? true : undefined;
  });
  assert.deepEqual((await settled(id)).parameters, own);
});

test("a removed device has no settings any more", async () => {
  const { id } = await home.device("Bathroom climate");
  await eventually("its settings", () => configuration(id));
  assert.equal((await home.call("DELETE", "/devices", [id])).json, true);
  assert.equal((await home.call("GET", `/devices/configuration?deviceId=${id}`)).status, 404);
});

function assertProgress({ pctComplete, etaMs }: Pick<UpgradeReport, "pctComplete" | "etaMs">): void {
  assert.ok((pctComplete ?? 100) < 100 && (etaMs ?? 0) > 0);
}

/** The events of an installation, from the log: a client that polls now and then may miss them. */
async function progressOf(id: string): Promise<UpgradeReport[]> {
  const { stdout } = await ledge("events", "tail", "--once", "--json", "--data", home.folder);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { event: UpgradeReport & { type: string; id: string } }).event);
  return events.filter((event) => {
    if (event.type !== "UpgradeReported" || event.id !== id || event.status !== "INSTALLING") return false;
    assertProgress(event);
    return (event.pctComplete ?? 0) > 0;
  });
}

for (const [name, last, message] of [
  ["Kitchen counter", "UP_TO_DATE", null],
  ["Floor lamp", "FAILED", "the image is damaged"],
  ["Kitchen motion", "REFUSED", "the battery is too low"],
] as const) {
  test(`the upgrade of ${name} ends as ${last}`, async () => {
    const { id } = await home.device(name);
    const info = async (): Promise<UpgradeInfo> => {
      const { json } = await home.call("PUT", "/devices/command", [{ type: "CMD_GET_UPGRADE_INFO", id }]);
      const found = json as UpgradeInfo;
      if (found.status === "INSTALLING") assertProgress(found);
      return found;
    };
    const reached = (status: string): Promise<UpgradeInfo> =>
      eventually(status, async () => {
        const found = await info();
        return found.status === status ? found : undefined;
      });
    await reached("AVAILABLE");
    const start = [{ type: "CMD_START_UPGRADE", id }];
    assert.deepEqual(await home.call("PUT", "/devices/command", start), { status: 200, json: null });
    const ended = await reached(last);
    if (last !== "REFUSED") assert.notDeepEqual(await progressOf(id), []);
    assert.equal(ended.message, message);
    assert.equal(ended.fwVersion, last === "UP_TO_DATE" ? "1.1.0" : "1.0.4");
    assert.equal(ended.lastUpgrade > 0, last === "UP_TO_DATE");
    if (last === "UP_TO_DATE") assert.equal((await home.call("PUT", "/devices/command", start)).status, 422);
  });
}
