import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import {
  type Adapter,
  type AdapterHost,
  type DeviceDescription,
  type FoundDevice,
  type Report,
  systemClock,
} from "@ledge/port";
import { codeOf, complaintsIn, recordingHost } from "@ledge/port/testing";
import { type ButtonEvent, exampleSensors, SimulatedBridge } from "@ledge/testkit/hue";
import { until } from "@ledge/testkit";
import { isPrivateAddress, originsOf } from "./address.ts";
import { discoverBridges } from "./discover.ts";
import { createAdapter } from "./index.ts";
import { tryAnswers } from "./testing.ts";

const key = "known-key-0123456789";
const signal = new AbortController().signal;

class Rig {
  readonly adapter: Adapter = createAdapter(() => 0);
  readonly stored = new Map<string, unknown>();
  readonly announced: DeviceDescription[] = [];
  readonly reports: Report[] = [];
  readonly found: FoundDevice[] = [];
  readonly lost: string[] = [];
  readonly complaints: string[] = [];

  async start(settings: object): Promise<void> {
    const host: AdapterHost = recordingHost(this, {
      settings,
      clock: systemClock,
      folder: "/nowhere",
      log: complaintsIn(this.complaints),
    });
    await this.adapter.start(host);
  }

  /** The newest value of an attribute that a device has reported. */
  shows(native: string, name: string): unknown {
    return this.reports.findLast((report) => report.native === native && name in report.attributes)
      ?.attributes[name];
  }

  async wait(native: string, name: string, value: unknown): Promise<void> {
    await until(`${native} ${name} ${String(value)}`, () => this.shows(native, name) === value);
  }
}

for (const isSecure of [false, true]) {
  describe(isSecure ? "the second interface" : "the first interface", () => {
    let bridge: SimulatedBridge;
    const rig = new Rig();
    const lamp = (id: string): string => `${bridge.id}/lights/${id}`;
    const set = (native: string, attributes: object): Promise<void> =>
      rig.adapter.send(native, { type: "set", attributes: { ...attributes } }, signal);

    before(async () => {
      bridge = await SimulatedBridge.start(isSecure);
      bridge.keys.add(key);
      bridge.sensors.push(...exampleSensors());
      await rig.start({ bridges: [{ address: bridge.origin, key }], pollMs: 500 });
      await until("its lamps", () => rig.announced.length >= 8);
    });
    after(async () => {
      await rig.adapter.stop();
      await bridge.kill();
    });

    test("has lamps, a plug, a room with its scene, and the bridge itself", () => {
      const shown = rig.announced.map(({ native, class: of, name, stateExtras }) => [
        native.slice(17),
        of,
        name,
        stateExtras?.[0]?.options,
      ]);
      assert.deepEqual(
        shown.toSorted((one, other) => String(one).localeCompare(String(other))),
        [
          ["", "VENDOR_HUB", "Hue Bridge", undefined],
          ["groups/1", "LIGHT", "Kitchen", ["Relax"]],
          ["lights/1", "LIGHT", "Sink", undefined],
          ["lights/2", "LIGHT", "Table", undefined],
          ["lights/3", "POWER_SOCKET", "Fan", undefined],
          ["lights/9", "LIGHT", "Mute", undefined],
          ["sensors/2", "REMOTE_CONTROL", "Bedside", undefined],
          ["sensors/5", "MOTION", "Porch", undefined],
        ],
      );
      const { capabilities } = rig.announced.find(({ name }) => name === "Sink") ?? assert.fail();
      for (const each of ["BRIGHTNESS", "COLOR_HS", "COLOR_TEMP"] as const)
        assert.ok(capabilities.includes(each));
      assert.deepEqual(
        ["isOn", "brightness", "colorMode", "temperature", "hue", "minTemperature"].map((name) =>
          rig.shows(lamp("1"), name),
        ),
        [false, 1, "ct", 2732, -1, 2000],
      );
    });

    test("takes commands for lamps, groups and scenes, and tells what others do", async () => {
      await set(lamp("1"), { isOn: true, brightness: 0.5, transitionMsec: 400 });
      assert.deepEqual([bridge.lamps[0]?.on, bridge.lamps[0]?.bri], [true, 127]);
      await rig.wait(lamp("1"), "isOn", true);
      await rig.wait(lamp("1"), "brightness", 0.5);
      await set(lamp("1"), { temperature: 5000 });
      assert.equal(bridge.lamps[0]?.ct, 200);
      await rig.wait(lamp("1"), "temperature", 5000);
      await set(lamp("1"), { hue: Math.PI, saturation: 1 });
      await rig.wait(lamp("1"), "colorMode", "hs");
      const room = `${bridge.id}/groups/1`;
      await set(room, { "extras.scene": "Relax" });
      assert.deepEqual([bridge.lamps[0]?.bri, bridge.lamps[1]?.bri], [100, 100]);
      await set(room, { isOn: false });
      await rig.wait(lamp("2"), "isOn", false);
      bridge.change("3", { on: true });
      await rig.wait(lamp("3"), "isOn", true);
      bridge.change("3", { reachable: false });
      await rig.wait(lamp("3"), "reachable", false);
      bridge.put({
        id: "4",
        name: "Hall",
        type: "Dimmable light",
        model: "LWA001",
        on: true,
        bri: 254,
        reachable: true,
      });
      await rig.wait(lamp("4"), "isOn", true);
      bridge.remove("4");
      await rig.wait(lamp("4"), "reachable", false);
      for (const [native, attributes] of [
        [lamp("3"), { brightness: 0.5 }],
        [room, { "extras.scene": "Party" }],
        [bridge.id, { isOn: true }],
      ] as const)
        assert.equal(await codeOf(set(native, attributes)), "unsupported", native);
      if (!isSecure) assert.equal(await codeOf(set(lamp("2"), { brightness: 1 })), "refused");
      await rig.adapter.send(lamp("1"), { type: "identify" }, signal);
    });

    const presses = (remote: string): string[] =>
      rig.reports
        .filter(({ native, attributes }) => native === remote && "button" in attributes)
        .map(({ attributes }) => JSON.stringify([attributes["button"], attributes["modifiers"]]));

    test("tells what sensors measure, and each press of a remote", async () => {
      const [remote, sensor] = ["2", "5"].map((id) => `${bridge.id}/sensors/${id}`) as [string, string];
      const described = rig.announced.find(({ native }) => native === sensor);
      assert.deepEqual(described?.capabilities.toSorted(), [
        "BATTERY_C",
        "DEVICE",
        "LUX",
        "MOTION",
        "TEMPERATURE",
      ]);
      const { extras = {} } = rig.announced.find(({ native }) => native === remote) ?? {};
      assert.deepEqual(
        (extras["buttons"] as { label: string }[]).map(({ label }) => label).join(),
        "On,Brighter,Darker,Off",
      );
      assert.deepEqual(
        ["motion", "temperature", "lux", "battery"].map((name) => rig.shows(sensor, name)),
        [false, 21.5, 100, 80],
      );
      bridge.sense(5, { motion: true, temperature: -3.25, light: 0 });
      await rig.wait(sensor, "motion", true);
      await rig.wait(sensor, "temperature", -3.25);
      await rig.wait(sensor, "lux", 0);
      bridge.sense(5, { motion: false, reachable: false });
      await rig.wait(sensor, "reachable", false);
      assert.deepEqual(presses(remote), [], "an old press is none");
      const press = async (button: number, count: number, ...events: ButtonEvent[]): Promise<void> => {
        bridge.pushButton(2, button, ...events);
        await until(`${count} presses`, () => presses(remote).length >= count);
      };
      await press(1, 1, "initial_press", "short_release");
      await press(1, 2, "initial_press", "short_release");
      await press(3, 3, "initial_press", "repeat");
      bridge.pushButton(2, 3, "repeat");
      await press(3, 4, "long_release");
      assert.deepEqual(presses(remote), [
        "[1,[]]",
        "[1,[]]",
        '[3,["longpress"]]',
        '[3,["longpress","stop"]]',
      ]);
      assert.equal(await codeOf(set(remote, { isOn: true })), "unsupported");
    });

    test("comes back after the bridge was killed, and says when its key is gone", async () => {
      await bridge.kill();
      await rig.wait(lamp("1"), "reachable", false);
      assert.equal(await codeOf(set(lamp("1"), { isOn: true })), "unreachable");
      const remote = `${bridge.id}/sensors/2`;
      const heard = presses(remote).length;
      bridge.pushButton(2, 4, "initial_press", "short_release");
      await bridge.restart();
      await rig.wait(lamp("1"), "reachable", true);
      await rig.wait(bridge.id, "reachable", true);
      bridge.pushButton(2, 2, "initial_press", "short_release");
      await until("a press", () => presses(remote).length > heard);
      assert.deepEqual(presses(remote).slice(heard), ["[2,[]]"], "a press that nobody heard is old");
      bridge.keys.clear();
      await bridge.kill();
      await bridge.restart();
      await rig.wait(lamp("1"), "reachable", false);
      assert.ok(!rig.complaints.join("").includes(key), "the key is in the log");
      assert.deepEqual(
        rig.reports.filter(({ native }) => !rig.announced.some((each) => each.native === native)),
        [],
      );
    });
  });
}

test("a bridge is paired by its button, remembered, and unpaired by removing it", async () => {
  const bridge = await SimulatedBridge.start(true);
  const rig = new Rig();
  const settings = { bridges: [{ address: bridge.origin }] };
  await rig.start(settings);
  const pair = (): Promise<unknown> =>
    rig.adapter.requests?.["PAIR_BRIDGE"]?.({ type: "PAIR_BRIDGE" }, signal) ?? assert.fail();
  assert.equal(await pair(), true);
  assert.equal(await pair(), true);
  assert.deepEqual(
    rig.found.map(({ native, help, actionRequired }) => [native, help, actionRequired]),
    [[bridge.id, "pairing.press-button", true]],
  );
  await until("a refusal", () => bridge.asked.includes("POST /api"));
  assert.equal(rig.announced.length, 0);
  bridge.press();
  await rig.wait(`${bridge.id}/lights/1`, "reachable", true);
  assert.deepEqual(rig.lost, [bridge.id]);
  await rig.adapter.forget?.(`${bridge.id}/lights/2`);
  await rig.adapter.stop();

  rig.announced.length = 0;
  rig.reports.length = 0;
  await rig.start(settings);
  await rig.wait(bridge.id, "reachable", true);
  const natives = new Set(rig.announced.map(({ native }) => native));
  assert.ok(natives.has(`${bridge.id}/lights/1`) && !natives.has(`${bridge.id}/lights/2`));

  // Another bridge at the same address: it never hears the key.
  bridge.replaceCertificate();
  await bridge.kill();
  bridge.asked.length = 0;
  await bridge.restart();
  await until("a complaint", () => rig.complaints.some((line) => line.includes("another certificate")));
  await rig.wait(bridge.id, "connectionState", "CERTIFICATE");
  assert.deepEqual(
    [...bridge.asked].filter((line) => !line.includes("/api/config")),
    [],
  );
  await rig.adapter.forget?.(bridge.id);
  assert.deepEqual(rig.stored.get("bridges"), []);
  assert.equal(await codeOf(rig.adapter.send(bridge.id, { type: "refresh" }, signal)), "refused");
  await rig.adapter.stop();
  await bridge.kill();
});

test("only addresses of private networks are bridges", () => {
  for (const address of [
    "10.0.0.1",
    "172.31.255.255",
    "192.168.1.2",
    "169.254.1.1",
    "127.0.0.1",
    "::1",
    "fd00::1",
    "fe80::1",
  ])
    assert.ok(isPrivateAddress(address), address);
  for (const address of [
    "8.8.8.8",
    "172.32.0.1",
    "2001:db8::1",
    "::ffff:8.8.8.8",
    "localhost",
    "",
    "192.168.1",
  ])
    assert.ok(!isPrivateAddress(address), address);
  assert.deepEqual(originsOf("192.168.1.2"), ["https://192.168.1.2", "http://192.168.1.2"]);
  assert.deepEqual(originsOf("fd00::1"), ["https://[fd00::1]", "http://[fd00::1]"]);
  assert.deepEqual(originsOf("http://127.0.0.1:8090"), ["http://127.0.0.1:8090"]);
  for (const address of [
    "bridge",
    "https://8.8.8.8",
    "http://192.168.1.2/api",
    "http://a@192.168.1.2",
    "file:///x",
  ])
    assert.equal(originsOf(address), undefined, address);
});

test("bridges on the network are found by mDNS, and other answers are not", async () => {
  const responder = createSocket("udp4").bind(0, "127.0.0.1");
  await once(responder, "listening");
  responder.on("message", (question, { port, address }) => {
    assert.ok(question.includes("_hue"));
    for (const name of ["\x04_ipp\x04_tcp", "\x04_hue\x04_tcp"])
      responder.send(Buffer.concat([Buffer.of(0, 0, 0x84, 0), Buffer.from(name)]), port, address);
    responder.send(question, port, address);
  });
  const target = { address: "127.0.0.1", port: responder.address().port };
  const quick = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 10, run) };
  assert.deepEqual(await discoverBridges(quick, target), ["127.0.0.1"]);
  responder.close();
});

// The long form is `npm run -s fuzz -- --target hue`.
test("copes with 300 changed answers", () => {
  const exampleAnswers = SimulatedBridge.exampleAnswers();
  let state = 1;
  const below = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const outcomes = new Set<string>();
  for (let number = 0; number < 300; number += 1) {
    const { outcome, problems, shown } = tryAnswers(exampleAnswers, below);
    assert.deepEqual(problems, [], shown);
    outcomes.add(outcome);
  }
  assert.ok(outcomes.has("lamps"));
});
