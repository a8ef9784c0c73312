import assert from "node:assert/strict";
import { test } from "node:test";
import { socketConsole } from "@ledge/host/cli/client";
import { eventually, ledge, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();
const lamp = "Kitchen ceiling";

/** The adapter is killed this often, so that its next start is late enough for it to be reported away. */
const kills = 3;

async function isResting(): Promise<boolean> {
  const { json } = await socketConsole(home.folder).call("GET", "/cc/1.14/console/status");
  const { adapters } = json as { adapters: Readonly<Record<string, { state: string }>> };
  return adapters["sim"]?.state === "resting";
}

const reachable = (): Promise<string[]> =>
  home
    .all<{ name: string; state: { reachable?: boolean } }>("/devices")
    .then((devices) => devices.filter(({ state }) => state.reachable).map(({ name }) => name));

async function noneReachable(): Promise<void> {
  await eventually("no device reachable", async () => ((await reachable()).length === 0 ? true : undefined));
}

/** The explanation, asked again while the hub is too busy to read its log. */
const why = (): Promise<string> =>
  eventually("an explanation", async () => {
    const { code, stdout } = await ledge("why", lamp, "isOn", "--data", home.folder);
    return code === 0 ? stdout : undefined;
  });

/** A busy machine may start the adapter after the command has expired, and never before: asserts that it did. */
async function cameTooLate(): Promise<void> {
  const { stdout } = await ledge("events", "tail", "--once", "--after", "0", "--json", "--data", home.folder);
  const types = stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { event: { type: string } }).event.type);
  const [issued = -1, failed = -1, started = -1] = ["CommandIssued", "CommandFailed", "AdapterStarted"].map(
    (type) => types.lastIndexOf(type),
  );
  assert.ok(started < issued || started > failed, "it came back in time, and did not get the command");
}

test("a command while its adapter is away arrives or raises an alert; the devices stay unreachable", async () => {
  await home.hub.homeAnnounced(home.key);
  const { id, state } = await home.device(lamp);
  const before = await eventually("devices", async () => {
    const names = await reachable();
    return names.length > 1 ? names : undefined;
  });
  const turn = async (isOn: unknown): Promise<void> => {
    const command = { type: "CMD_DEVICE", id, state: { isOn } };
    assert.equal((await home.call("PUT", "/devices/command", [command])).status, 200);
  };
  const isAlerted = async (): Promise<boolean> =>
    (await home.alerts()).includes(`${lamp} did not do what it was told`);

  for (let time = 0; time < kills; time++) await home.hub.killAdapter();
  await noneReachable();
  await turn(!state["isOn"]);
  await eventually("the lamp, switched", async () => {
    if (await isAlerted()) {
      await cameTooLate();
      await turn(!state["isOn"]);
    }
    return (await home.device(lamp)).state["isOn"] === !state["isOn"] ? true : undefined;
  });
  await eventually("all of them themselves again", async () => {
    const names = await reachable();
    return before.every((name) => names.includes(name)) ? true : undefined;
  });
  await eventually("no alert", async () => ((await home.alerts()).length === 0 ? true : undefined));

  await eventually("an adapter that rests", async () => {
    for (const pid of home.hub.adapters().values()) process.kill(pid, "SIGKILL");
    return (await isResting()) || undefined;
  });
  await noneReachable();
  await eventually("the command in why", async () => {
    // It waits for seconds only, and a busy machine may take as long to say why.
    await turn(state["isOn"]);
    return (await why()).includes("(pending)") ? true : undefined;
  });
  await eventually("an alert", async () => (await isAlerted()) || undefined);
  const expired = /told Kitchen ceiling: \w+ \(failed: the adapter was away until the command expired\)/;
  await eventually("the failure in why", async () => expired.test(await why()) || undefined);

  await socketConsole(home.folder).call("POST", "/cc/1.14/console/resume?protocol=sim");
  await home.device(lamp, (device) => device.state["reachable"] === true);
  await turn(state["isOn"]);
  await home.device(lamp, (device) => device.state["isOn"] === state["isOn"]);
  await eventually("no alert", async () => ((await home.alerts()).length === 0 ? true : undefined));
  assert.doesNotMatch(await why(), /failed/);
});
