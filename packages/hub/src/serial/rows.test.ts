import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PortedStick } from "@ledge/api";
import { roles } from "@ledge/model";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { sticks as hardware, TestMachine } from "@ledge/testkit";
import { eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const machine = new TestMachine();
const folder = temporaryFolder();
const port = machine.portOf(hardware.dongleP);
let cloud: SimulatedCloud;
let hub: HubProcess;
let key: string;

const start = async (): Promise<HubProcess> => {
  const started = await HubProcess.startWith(
    { LEDGE_TEST_ROOT: machine.root, LEDGE_TEST_ADAPTERS: JSON.stringify({ zigbee: {} }) },
    new URL("../testdata/machine-hub.ts", import.meta.url),
    folder.path,
    "--cloud",
    cloud.url,
  );
  started.cloud = cloud;
  return started;
};

before(async () => {
  cloud = await SimulatedCloud.open();
  hub = await start();
  key = await hub.key();
});

after(async () => {
  await hub.stop();
  await cloud.close();
  folder.remove();
  machine.remove();
});

const call = async (method: string, path: string, body?: unknown): Promise<unknown> =>
  (await hub.call(method, path, key, body)).json;
const list = async (): Promise<PortedStick[]> => (await call("GET", "/hub/sticks")) as PortedStick[];

interface Alarm {
  readonly kind: string;
  readonly closed: boolean;
  readonly level: string;
  readonly message: Record<string, string>;
}

/** Resolves when the proposal is open, or when it is closed. */
function proposed(closed: boolean): Promise<Alarm> {
  return eventually(`a proposal, ${closed ? "closed" : "open"}`, async () => {
    const alarms = Object.values((await call("GET", "/alarms")) as Record<string, Alarm>);
    return alarms.find((alarm) => alarm.kind === "STICK_FOUND" && alarm.closed === closed);
  });
}

test("lists and proposes a plugged stick in every language, and neither after it is pulled out", async () => {
  assert.deepEqual(await list(), []);
  machine.plug(hardware.dongleP);
  const { level, message } = await proposed(false);
  assert.equal(level, "info");
  for (const language of ["en", "fi", "sv", "de"]) {
    assert.match(message[language] ?? "", /Sonoff ZBDongle-P.*Zigbee.*usb-ITead_Sonoff/);
  }
  const [stick] = await list();
  assert.deepEqual(
    [
      stick?.port,
      stick?.model,
      stick?.certainty,
      stick?.protocol,
      stick?.driver,
      stick?.usedBy,
      stick?.isThere,
    ],
    [port, "Sonoff ZBDongle-P", "sure", "zigbee", "zstack", null, true],
  );
  machine.unplug(hardware.dongleP);
  await proposed(true);
  assert.deepEqual(await list(), []);
});

test("lets administrators choose a stick, keeps the choice over a restart, and gives it up", async () => {
  machine.plug(hardware.dongleP);
  await proposed(false);
  const user = await hub.key("ida@example.org", roles.IDENTIFIED_USER);
  const wanted = { port, protocol: "zigbee" };
  assert.equal((await hub.call("POST", "/hub/stick", user, wanted)).status, 403);
  assert.equal((await hub.call("GET", "/hub/sticks", user)).status, 403);
  assert.equal((await hub.call("DELETE", "/hub/stick?protocol=zigbee", user)).status, 403);
  assert.equal(await call("POST", "/hub/stick", wanted), true);
  await proposed(true);
  assert.deepEqual(
    (await list()).map(({ usedBy }) => usedBy),
    ["zigbee"],
  );
  await hub.stop();
  machine.unplug(hardware.dongleP);
  hub = await start();
  assert.deepEqual(
    (await list()).map((stick) => [stick.port, stick.isThere, stick.usedBy]),
    [[port, false, "zigbee"]],
  );
  const { stdout, code } = await ledge("radios", "--data", folder.path);
  assert.equal(code, 0);
  assert.match(stdout, /^port .*\n\S+usb-ITead_Sonoff\S+ +not plugged in +zigbee\n$/);
  assert.deepEqual(
    JSON.parse((await ledge("radios", "--json", "--data", folder.path)).stdout),
    await call("GET", "/hub/sticks"),
  );
  assert.equal(await call("DELETE", "/hub/stick?protocol=zigbee"), true);
  assert.equal((await hub.call("DELETE", "/hub/stick?protocol=zigbee", key)).status, 404);
  assert.deepEqual(await list(), []);
  machine.plug(hardware.dongleP);
  await proposed(false);
});

test("refuses an impossible choice, names the wrong field, and changes nothing", async () => {
  for (const [body, status, message] of [
    [{ port, protocol: "zwave" }, 422, /the zwave adapter is off/],
    [{ port, protocol: "modbus" }, 422, /protocol must be one of/],
    [{ port: "/dev/null", protocol: "zigbee", driver: "zstack" }, 422, /port is no serial port/],
    [{ port, protocol: "zigbee", baudRate: 1e9 }, 422, /baudRate/],
    [{ port: 5, protocol: "zigbee" }, 422, /port/],
    [{ port: "x".repeat(1025), protocol: "zigbee" }, 422, /port/],
    [{}, 422, /port/],
  ] as const) {
    const answer = await hub.call("POST", "/hub/stick", key, body);
    assert.equal(answer.status, status, JSON.stringify(body));
    assert.match((answer.json as { message: string }).message, message);
  }
  assert.deepEqual(
    (await list()).map(({ usedBy }) => usedBy),
    [null],
  );
});

test("ledge radios shows what is at each port", async () => {
  machine.plug(hardware.adapter);
  const { stdout } = await ledge("radios", "--data", folder.path);
  assert.match(stdout, / Sonoff ZBDongle-P \(zigbee, zstack\) +-\n/);
  assert.match(stdout, / FTDI FT232R USB UART +-\n/);
});
