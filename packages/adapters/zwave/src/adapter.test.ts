import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pinOf, plans, reports } from "@ledge/testkit/zwave";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

/** What stands where in a frame of the Serial API (INS12350). */
const [startOfFrame, acknowledged, functionAt, sendDataBridge] = [0x01, 0x06, 3, 0xa9];
/** What a stick is asked at a start: what it can do, its nodes, versions, role, a soft reset, its ids and that of the SUC. */
const toOpen = [0x07, 0x02, 0x15, 0x05, 0x08, 0x20, 0x56];

describe("the adapter with a simulated stick", () => {
  let home: Rig;
  before(async () => {
    home = await startRig();
  });
  after(() => home.close());

  test("shows a socket, switches it, and reports what it uses", async () => {
    const native = await home.pair(plans.wallPlug());
    const description = home.announced.findLast((device) => device.native === native);
    assert.equal(description?.class, "POWER_SOCKET");
    assert.deepEqual(description.capabilities.toSorted(), [
      "ACTIVE_POWER",
      "CONTROL_POWER",
      "DEVICE",
      "MEASURE_POWER",
      "ON_OFF",
      "POWER_METER",
    ]);
    await home.untilReported(native, "reachable", true);
    assert.equal(home.latest(native, "totalPower"), 1.5);
    assert.equal(home.latest(native, "activePower"), 40);
    await home.set(native, { isOn: true });
    await home.untilReported(native, "isOn", true);
    await home.set(native, { isOn: false });
    await home.untilReported(native, "isOn", false);
  });

  test("dims a lamp", async () => {
    const native = await home.pair(plans.lamp());
    const description = home.announced.findLast((device) => device.native === native);
    assert.equal(description?.class, "LIGHT");
    for (const capability of ["ON_OFF", "BRIGHTNESS", "CONTROL_LIGHT"])
      assert.ok(
        description.capabilities.some((had) => had === capability),
        capability,
      );
    await home.set(native, { isOn: true, brightness: 0.5 });
    await home.untilReported(native, "brightness", 0.5051);
  });

  test("hears a motion sensor, and tells sleeping from dead", async () => {
    const native = await home.pair(plans.motionSensor());
    const id = home.stick.nodeIds.at(-1) ?? 0;
    await home.until("sleep", () => home.stick.isAsleep(id));
    assert.equal(home.latest(native, "reachable"), true);
    assert.equal(home.latest(native, "temperature"), 21.5);
    assert.equal(home.latest(native, "battery"), 80);
    await home.stick.says(id, reports.motion(true));
    await home.untilReported(native, "motion", true);
    await home.stick.says(id, reports.motion(false));
    await home.untilReported(native, "motion", false);
    await home.stick.says(id, reports.battery(40));
    await home.untilReported(native, "battery", 40);
    await home.stick.says(id, reports.batteryLow());
    await home.untilReported(native, "batteryLow", true);
    await home.stick.says(id, reports.battery(100));
    await home.untilReported(native, "batteryLow", false);
  });

  test("drops what no thermometer can measure", async () => {
    const [native = ""] = home.announced
      .filter((device) => device.class === "MOTION")
      .map((each) => each.native);
    const id = Number(native.split("/")[1]);
    await home.stick.says(id, reports.temperature(3000));
    await home.stick.says(id, reports.temperature(17.25));
    await home.untilReported(native, "temperature", 17.25);
    assert.ok(!home.reports.some(({ attributes }) => attributes["temperature"] === 3000));
  });

  test("reports every press of a remote", async () => {
    const native = await home.pair(plans.remote());
    const id = home.stick.nodeIds.at(-1) ?? 0;
    const description = home.announced.findLast((device) => device.native === native);
    assert.equal(description?.class, "REMOTE_CONTROL");
    const { buttons } = description.extras ?? {};
    assert.deepEqual(
      (buttons as readonly { readonly label: string }[] | undefined)?.map(({ label }) => label),
      ["Scene 1", "Scene 2", "Scene 3", "Scene 4"],
    );
    for (const [sequence, key] of [0, 0, 2, 1].entries())
      await home.stick.says(id, reports.press(2, key, sequence));
    const presses = () =>
      home.reports.filter((report) => report.native === native && "button" in report.attributes);
    await home.until("four presses", () => presses().length === 4);
    assert.deepEqual(
      presses().map(({ attributes }) => attributes["modifiers"]),
      [[], [], ["longpress"], ["stop"]],
    );
  });

  test("joins a lock with S2 when its PIN is entered", async () => {
    const known = new Set(home.stick.nodeIds);
    await home.adapter.pairing?.open(60_000);
    home.stick.inclusion.seek(plans.doorLock());
    await home.until("the question for its PIN", () =>
      home.found.some(({ help, actionRequired }) => help === "pairing.zwave-pin" && actionRequired),
    );
    const status = await home.command("GET_ZWAVE_INCLUSION_STATUS");
    assert.equal(status["status"], "RUNNING");
    assert.match(String(status["dsk"]), /^-\d{5}(?:-\d{5}){6}$/);
    const id = home.stick.nodeIds.find((each) => !known.has(each)) ?? 0;
    assert.equal(await codeOf(home.command("ZWAVE_S2_PIN", { pin: "abc" })), "settings");
    assert.equal(await home.command("ZWAVE_S2_PIN", { pin: pinOf(home.stick.node(id)) }), true);
    const native = home.native(id);
    await home.until("its description", () => home.completed(native) !== undefined);
    assert.deepEqual(await home.command("GET_ZWAVE_INCLUSION_STATUS"), {
      type: "ZWAVE_INCLUSION_STATUS",
      status: "SUCCESS",
      nodeId: id,
    });
    await home.adapter.pairing?.keep(native);
    await home.adapter.pairing?.close();
    await home.set(native, { locked: true });
    await home.untilReported(native, "locked", true);
    const nodes = await home.nodes();
    assert.equal(nodes.find((node) => node["nodeId"] === id)?.["securityKeys"], "S2_AccessControl");
  });

  test("sets a thermostat", async () => {
    const native = await home.pair(plans.thermostat());
    assert.equal(home.latest(native, "targetTemperature"), 20);
    await home.set(native, { targetTemperature: 22 });
    await home.untilReported(native, "targetTemperature", 22);
    assert.equal(await codeOf(home.set(native, { targetTemperature: 40 })), "refused");
    await home.set(native, { mode: 2 });
    await home.untilReported(native, "mode", 2);
  });

  test("knows its devices after a restart", async () => {
    const natives = new Set(home.announced.map(({ native }) => native));
    home.announced.length = 0;
    const asked: number[] = [];
    const connect = home.stick.connect.bind(home.stick);
    home.stick.connect = (write) => {
      const line = connect(write);
      const receive = (chunk: Uint8Array): void => {
        const frame = chunk[0] === acknowledged ? chunk.subarray(1) : chunk;
        if (frame[0] === startOfFrame) asked.push(frame[functionAt] ?? 0);
        line.receive(chunk);
      };
      return { ...line, receive };
    };
    await home.restart();
    home.stick.connect = connect;
    assert.deepEqual(new Set(home.announced.map(({ native }) => native)), natives);
    // Neither the stick's memory nor a node is read before the network is up.
    assert.deepEqual(asked.slice(0, toOpen.length), toOpen);
    assert.ok(asked.slice(toOpen.length).every((type) => type === sendDataBridge));
  });

  test("tells a sleeping device at its wake-up what it was told", async () => {
    const [native = ""] = home.announced
      .filter((device) => device.class === "MOTION")
      .map((each) => each.native);
    const id = Number(native.split("/")[1]);
    const sent = home.adapter.send(native, { type: "refresh" }, new AbortController().signal);
    home.stick.wake(id);
    await home.stick.says(id, reports.wakeUp());
    await sent;
    await home.until("sleep", () => home.stick.isAsleep(id));
  });

  test("refuses to set what only an awake device can take, and reports a wake-up", async () => {
    const native = await home.pair(plans.radiatorValve());
    const id = home.stick.nodeIds.at(-1) ?? 0;
    await home.until("sleep", () => home.stick.isAsleep(id));
    await home.until("the library to know", () => home.latest(native, "battery") === 90);
    assert.equal(await codeOf(home.set(native, { targetTemperature: 23 })), "asleep");
    const said = home.reports.length;
    home.stick.wake(id);
    await home.stick.says(id, reports.wakeUp());
    await home.until("a report of the wake-up", () =>
      home.reports
        .slice(said)
        .some((report) => report.native === native && report.attributes["reachable"] === true),
    );
    await home.set(native, { targetTemperature: 23 });
    await home.untilReported(native, "targetTemperature", 23);
  });

  test("reports a device without power as unreachable until it is back", async () => {
    const [native = ""] = home.announced
      .filter((device) => device.class === "POWER_SOCKET")
      .map((each) => each.native);
    const id = Number(native.split("/")[1]);
    await home.untilReported(native, "reachable", true);
    home.stick.powerNode(id, false);
    assert.equal(await codeOf(home.set(native, { isOn: true })), "unreachable");
    await home.untilReported(native, "reachable", false);
    assert.deepEqual(await home.command("ZWAVE_CHECK_FAILED", { nodeId: String(id) }), {
      type: "ZWAVE_CHECK_FAILED",
      nodeId: id,
      isFailed: true,
      status: 0,
      reason: null,
    });
    home.stick.powerNode(id, true);
    await home.set(native, { isOn: true });
    await home.untilReported(native, "reachable", true);
  });
});
