import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "@ledge/port";
import { behindProxy, plans, serveStick, ZWaveStick } from "@ledge/testkit/zwave";
import { Driver } from "zwave-js";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

/** How long the stick removes nodes. */
const exclusionMs = 60_000;

describe("the network of a simulated stick", () => {
  let home: Rig;
  /** Ends that time. */
  let beLate = (): void => {};
  before(async () => {
    const clock = {
      now: () => systemClock.now(),
      after: (ms: number, callback: () => void) => {
        if (ms === exclusionMs) beLate = callback;
        return systemClock.after(ms, callback);
      },
    };
    home = await startRig([], { clock });
  });
  after(() => home.close());

  const inclusion = async () => (await home.command("GET_ZWAVE_INCLUSION_STATUS"))["status"];
  const exclusion = async () => (await home.command("GET_ZWAVE_EXCLUSION_STATUS"))["status"];
  const untilExclusion = async (status: string): Promise<void> => {
    let seen: unknown;
    await home.until(`exclusion ${status}`, () => {
      void exclusion().then((now) => (seen = now));
      return seen === status;
    });
  };

  test("stores random keys before it opens the stick", () => {
    const keys = Object.values(home.stored.get("keys") as Readonly<Record<string, string>>);
    assert.equal(keys.length, 6);
    assert.equal(new Set(keys).size, 6);
    for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/);
  });

  test("says each state of an inclusion", async () => {
    assert.equal(await inclusion(), "IDLE");
    assert.equal((await home.command("ZWAVE_START_INCLUSION"))["status"], "NOT_PAIRING");
    await home.adapter.pairing?.open(60_000);
    assert.equal((await home.command("ZWAVE_START_INCLUSION"))["status"], "RUNNING");
    await home.until("a stick that adds nodes", () => home.stick.inclusion.mode === "adding");
    assert.equal((await home.command("ZWAVE_CANCEL_INCLUSION"))["status"], "CANCEL");
    await home.until("an idle stick", () => home.stick.inclusion.mode === "idle");
    assert.equal((await home.command("ZWAVE_START_INCLUSION"))["status"], "RUNNING");
    await home.adapter.pairing?.close();
    assert.equal(await inclusion(), "TIMEOUT");
    const native = await home.pair(plans.wallPlug());
    assert.deepEqual(await home.command("GET_ZWAVE_INCLUSION_STATUS"), {
      type: "ZWAVE_INCLUSION_STATUS",
      status: "SUCCESS",
      nodeId: Number(native.split("/")[1]),
    });
  });

  for (const [fields, message] of [
    [{ security: "best" }, "security"],
    [{ securityClasses: [] }, "securityClasses"],
    [{ securityClasses: ["S9"] }, "securityClasses"],
    [{ securityClasses: "S0_Legacy" }, "securityClasses"],
  ] as const)
    test(`refuses an inclusion with ${JSON.stringify(fields)}`, async () => {
      await assert.rejects(home.command("ZWAVE_START_INCLUSION", fields), new RegExp(`${message}: must be`));
    });

  test("refuses a PIN that nobody waits for, and one that is none", async () => {
    assert.equal(await codeOf(home.command("ZWAVE_S2_PIN", { pin: "12345" })), "refused");
    for (const pin of ["1234", "123456", "abcde", 12345, null, undefined])
      assert.equal(await codeOf(home.command("ZWAVE_S2_PIN", { pin })), "settings");
  });

  test("removes the node whose button is pressed, and says each state", async () => {
    const native = await home.pair(plans.wallPlug());
    const id = Number(native.split("/")[1]);
    assert.equal(await exclusion(), "IDLE");
    assert.equal((await home.command("ZWAVE_START_EXCLUSION"))["status"], "RUNNING");
    assert.equal((await home.command("ZWAVE_CANCEL_EXCLUSION"))["status"], "CANCEL");
    await home.until("an idle stick", () => home.stick.inclusion.mode === "idle");
    await home.command("ZWAVE_START_EXCLUSION");
    beLate();
    await untilExclusion("TIMEOUT");
    await home.until("an idle stick", () => home.stick.inclusion.mode === "idle");
    await home.command("ZWAVE_START_EXCLUSION");
    home.stick.inclusion.leave(id);
    await untilExclusion("SUCCESS");
    await home.untilReported(native, "reachable", false);
    assert.equal((await home.command("GET_ZWAVE_EXCLUSION_STATUS"))["nodeId"], id);
    assert.ok(!home.stick.nodeIds.includes(id));
  });

  test("removes a node that does not answer, and no other", async () => {
    const native = await home.pair(plans.wallPlug());
    const nodeId = Number(native.split("/")[1]);
    const remove = async () =>
      (await home.command("ZWAVE_REMOVE_FAILED", { nodeId: String(nodeId) }))["status"];
    assert.equal(await remove(), 0);
    home.stick.powerNode(nodeId, false);
    home.stick.removesFailed = false;
    assert.equal(await remove(), 2);
    home.stick.removesFailed = true;
    assert.equal(await remove(), 1);
    assert.ok(!home.stick.nodeIds.includes(nodeId));
    assert.equal(await remove(), 0xff);
  });

  test("reads and sets a parameter of a device", async () => {
    const native = await home.pair(plans.thermostat());
    const about = { nodeId: Number(native.split("/")[1]), parameter: 1 };
    const get = await home.command("ZWAVE_UI_GET_CONFIGURATION", about);
    assert.deepEqual([get["value"], get["status"]], [5, 0]);
    const set = await home.command("ZWAVE_UI_SET_CONFIGURATION", {
      ...about,
      size: 1,
      value: 7,
      default: false,
    });
    assert.deepEqual([set["value"], set["status"]], [7, 0]);
    assert.equal(
      await codeOf(home.command("ZWAVE_UI_SET_CONFIGURATION", { ...about, size: 3, value: 7 })),
      "settings",
    );
    assert.equal(
      await codeOf(home.command("ZWAVE_UI_GET_CONFIGURATION", { ...about, parameter: -1 })),
      "settings",
    );
    assert.equal(
      (await home.command("ZWAVE_UI_GET_CONFIGURATION", { ...about, nodeId: 99 }))["status"],
      0xff,
    );
  });

  test("says of a parameter that it is being set, that its device is silent, and that it has none", async () => {
    const [native = ""] = home.announced
      .filter((device) => device.class === "THERMOSTAT")
      .map((each) => each.native);
    const about = { nodeId: Number(native.split("/")[1]), parameter: 1, size: 1, default: false };
    const set = (value: number) => home.command("ZWAVE_UI_SET_CONFIGURATION", { ...about, value });
    const [first, second] = await Promise.all([set(3), set(4)]);
    assert.deepEqual([first["status"], first["value"], second["status"], second["value"]], [0, 3, 3, null]);
    assert.deepEqual((await home.command("ZWAVE_UI_GET_CONFIGURATION", { ...about }))["value"], 3);
    const reset = await home.command("ZWAVE_UI_SET_CONFIGURATION", { ...about, default: true, value: null });
    assert.equal(reset["value"], 5);
    home.stick.powerNode(about.nodeId, false);
    for (const type of ["ZWAVE_UI_GET_CONFIGURATION", "ZWAVE_UI_SET_CONFIGURATION"])
      assert.equal((await home.command(type, { ...about, value: 3 }))["status"], 1);
    home.stick.powerNode(about.nodeId, true);
    const plug = Number((await home.pair(plans.wallPlug())).split("/")[1]);
    const none = await home.command("ZWAVE_UI_GET_CONFIGURATION", { ...about, nodeId: plug });
    assert.deepEqual([none["status"], none["value"]], [2, null]);
  });

  test("joins a device with S0", async () => {
    await home.adapter.pairing?.open(60_000);
    await home.command("ZWAVE_START_INCLUSION", { security: "s0" });
    const native = await home.pair(plans.lampWithS0());
    const nodes = await home.nodes();
    const id = Number(native.split("/")[1]);
    assert.equal(nodes.find(({ nodeId }) => nodeId === id)?.["securityKeys"], "S0_Legacy");
    await home.set(native, { isOn: true });
    await home.untilReported(native, "isOn", true);
  });

  test("works over a line that loses and garbles frames", async () => {
    const [native = ""] = home.announced
      .filter(({ class: kind }) => kind === "LIGHT")
      .map((device) => device.native);
    home.stick.faults.garble(1);
    await home.set(native, { isOn: false });
    home.stick.faults.lose(1);
    await home.set(native, { isOn: true });
    await home.untilReported(native, "isOn", true);
  });

  test("says that an exclusion has failed when its stick is pulled out", async () => {
    await home.command("ZWAVE_START_EXCLUSION");
    await home.served.unplug();
    await untilExclusion("ERROR");
    assert.equal(await codeOf(home.command("ZWAVE_START_EXCLUSION")), "unreachable");
    assert.equal(await exclusion(), "ERROR");
  });
});

test("a driver of the library sends no statistics, and one that never ends keeps nobody from the stick", async (context) => {
  const statistics = context.mock.method(Driver.prototype, "enableStatistics");
  const home = await startRig();
  try {
    const native = await home.pair(plans.wallPlug());
    const ends = context.mock.method(Driver.prototype, "destroy", () => new Promise<void>(() => {}));
    await home.served.unplug();
    await home.until("an unreachable plug", () => home.latest(native, "reachable") === false);
    await home.served.plug();
    await home.until("a reachable plug", () => home.latest(native, "reachable") === true);
    assert.ok(ends.mock.callCount() > 0);
    assert.equal(statistics.mock.callCount(), 0);
    ends.mock.restore();
    await home.set(native, { isOn: true });
    await home.untilReported(native, "isOn", true);
  } finally {
    await home.close();
  }
});

test("gives a machine on which the network was not up in time longer at the next try", async () => {
  // The first time is over before the library has asked the stick anything.
  const hasty = (ms: number, callback: () => void) => systemClock.after(ms === 45_000 ? 0 : ms, callback);
  const home = await startRig([plans.wallPlug()], { clock: { now: () => systemClock.now(), after: hasty } });
  try {
    let isUp = false;
    await home.until("a network", () => {
      void home.nodes().then(({ length }) => (isUp = length > 0));
      return isUp;
    });
    assert.deepEqual(
      home.complaints.map((complaint) => /^the Z-Wave stick failed .*does not answer/.test(complaint)),
      [true],
    );
  } finally {
    await home.close();
  }
});

const secret = Buffer.alloc(32, "ESPHome");
const keys = { "in plain text": undefined, "with a key": secret };

for (const [how, key] of Object.entries(keys))
  test(`reaches a stick through ESPHome ${how}, and again after its device was away`, async () => {
    const stick = await ZWaveStick.create();
    await stick.place(plans.wallPlug());
    const proxy = await serveStick(behindProxy(stick, key));
    const home = await startRig([], {
      pathOf: () => proxy.path.replace("tcp:", "esphome:"),
      ...(key && { key: key.toString("base64") }),
    });
    try {
      const native = `${stick.homeId.toString(16)}/2`;
      await home.keepAndReplug(native, proxy);
      const { status, messagesTX } = await home.command("GET_ZWAVE_STATISTICS");
      assert.equal(status, "READY");
      assert.ok(Number(messagesTX) > 0);
      const [node] = await home.nodes();
      const statistics = node?.["statistics"] as Readonly<Record<string, number>> | undefined;
      assert.equal(statistics?.["timeoutResponse"], 0);
      assert.ok(Number(statistics["commandsTX"]) > 0);
    } finally {
      await home.close();
      await proxy.close();
    }
  });

test("says that a device with ESPHome has another key, and tells nobody the key", async () => {
  const proxy = await serveStick(behindProxy(await ZWaveStick.create(), Buffer.alloc(32, 7)));
  const key = secret.toString("base64");
  const home = await startRig([], { pathOf: () => proxy.path.replace("tcp:", "esphome:"), key });
  try {
    await home.until("a complaint", () => home.complaints.length > 0);
    const said = home.complaints.join("\n");
    assert.match(said, /handshake failed/i);
    assert.ok(!said.includes(key) && !said.includes(encodeURIComponent(key)), said);
  } finally {
    await home.close();
    await proxy.close();
  }
});

test("answers NO_ZWAVE where no stick is chosen", async () => {
  const home = await startRig([], { isChosen: false });
  try {
    for (const type of ["ZWAVE_START_INCLUSION", "GET_ZWAVE_INCLUSION_STATUS", "ZWAVE_HEAL"])
      assert.deepEqual(await home.command(type), {
        type: "ZWAVE_INCLUSION_STATUS",
        status: "NO_ZWAVE",
        nodeId: null,
      });
    for (const type of ["ZWAVE_START_EXCLUSION", "GET_ZWAVE_EXCLUSION_STATUS"])
      assert.deepEqual(await home.command(type), {
        type: "ZWAVE_EXCLUSION_STATUS",
        status: "NO_ZWAVE",
        nodeId: null,
      });
    assert.equal((await home.command("GET_ZWAVE_LEAVING_STATUS"))["status"], "NO_ZWAVE");
    assert.deepEqual(await home.command("ZWAVE_GET_NODES"), []);
    assert.equal((await home.command("ZWAVE_CHECK_FAILED", { nodeId: 7 }))["status"], 0xff);
    await home.adapter.pairing?.open(60_000);
    assert.deepEqual(home.found, []);
  } finally {
    await home.close();
  }
});
