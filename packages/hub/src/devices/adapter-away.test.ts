import assert from "node:assert/strict";
import { test } from "node:test";
import { socketConsole } from "@ledge/host/cli/client";
import { limits } from "@ledge/model";
import { eventually, ledge, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();
const lamp = "Kitchen ceiling";

/** The adapter is killed this often, so that its next start is late enough for it to be reported away. */
const kills = 3;

async function killAdapter(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await home.hub.killAdapter();
}

const reachable = (): Promise<string[]> =>
  home
    .all<{ name: string; state: { reachable?: boolean } }>("/devices")
    .then((devices) => devices.filter(({ state }) => state.reachable).map(({ name }) => name));

async function noneReachable(): Promise<void> {
  await eventually("no device reachable", async () => ((await reachable()).length === 0 ? true : undefined));
}

const why = async (): Promise<string> => {
  const { stdout, stderr } = await ledge("why", lamp, "isOn", "--data", home.folder);
  return stdout + stderr;
};

test("a command while its adapter is away arrives or raises an alert; the devices stay unreachable", async () => {
  await home.hub.homeAnnounced(home.key);
  const { id, state } = await home.device(lamp);
  const before = await eventually("devices", async () => {
    const names = await reachable();
    return names.length > 1 ? names : undefined;
  });
  const turn = (isOn: boolean): object => ({ type: "CMD_DEVICE", id, state: { isOn } });

  await killAdapter(kills);
  await noneReachable();
  const { status } = await home.call("PUT", "/devices/command", [turn(!state["isOn"])]);
  assert.equal(status, 200);
  await home.device(lamp, (device) => device.state["isOn"] === !state["isOn"]);
  await eventually("all of them themselves again", async () => {
    const names = await reachable();
    return before.every((name) => names.includes(name)) ? true : undefined;
  });
  assert.deepEqual(await home.alerts(), []);

  await killAdapter(limits.adapterFailures - kills);
  await noneReachable();
  await home.call("PUT", "/devices/command", [turn(Boolean(state["isOn"]))]);
  await eventually("the command in why", async () =>
    (await why()).includes("(pending)") ? true : undefined,
  );
  await eventually("an alert", async () =>
    (await home.alerts()).includes(`${lamp} did not do what it was told`) ? true : undefined,
  );
  assert.match(
    await why(),
    /told Kitchen ceiling: \w+ \(failed: the adapter was away until the command expired\)/,
  );

  await socketConsole(home.folder).call("POST", "/cc/1.14/console/resume?protocol=sim");
  await home.device(lamp, (device) => device.state["reachable"] === true);
  await home.call("PUT", "/devices/command", [turn(Boolean(state["isOn"]))]);
  await home.device(lamp, (device) => device.state["isOn"] === state["isOn"]);
  await eventually("no alert", async () => ((await home.alerts()).length === 0 ? true : undefined));
  assert.doesNotMatch(await why(), /failed/);
});
