import assert from "node:assert/strict";
import { test } from "node:test";
import type { FoundDevice } from "@ledge/port";
import { SimulatedClock } from "@ledge/testkit";
import { home, SimAdapter } from "./index.ts";

interface Stage {
  readonly adapter: SimAdapter;
  readonly clock: SimulatedClock;
  readonly said: string[];
  readonly reported: Set<string>;
  readonly found: Map<string, FoundDevice>;
}

async function stage(store = new Map<string, unknown>()): Promise<Stage> {
  const adapter = new SimAdapter();
  const clock = new SimulatedClock();
  const said: string[] = [];
  const reported = new Set<string>();
  const found = new Map<string, FoundDevice>();
  await adapter.start({
    settings: {},
    clock,
    announce: ({ native }) => said.push(`announce ${native}`),
    report: ({ native }) => reported.add(native),
    found: (device) => {
      found.set(device.native, device);
      said.push(`found ${device.native} ${device.status}${device.help ? ` ${device.help}` : ""}`);
    },
    folder: "/nowhere",
    lost: (native) => said.push(`lost ${native}`),
    trouble: () => {},
    store: {
      get: (key) => store.get(key),
      put: async (key, value) => void store.set(key, structuredClone(value)),
    },
    log: () => {},
  });
  return { adapter, clock, said, reported, found };
}

const about = ({ said }: Stage, native: string): string[] =>
  said.filter((line) => line.split(" ")[1] === native).map((line) => line.replace(` ${native}`, ""));
const press = ({ adapter }: Stage, native: string): Promise<unknown> => {
  const request = { type: "SIM_PRESS_BUTTON", commands: [{ native }] };
  const answer = adapter.protocolCommands["SIM_PRESS_BUTTON"];
  assert.ok(answer);
  return answer(request, new AbortController().signal);
};

test("starts without strays, and strays report nothing", async () => {
  const play = await stage();
  await play.clock.pass(60_000);
  assert.equal(play.said.length, home.length);
  assert.ok([...play.reported].every((native) => !native.startsWith("stray/")));
});

test("pairs a stray at once, fails another, and loses one that then cannot be kept", async () => {
  const play = await stage();
  await play.adapter.pairing.open(60_000);
  await play.clock.pass(5000);
  assert.deepEqual(about(play, "stray/porch"), ["found CONNECTED", "found COMPLETE"]);
  assert.deepEqual(about(play, "stray/weather"), [
    "found CONNECTING pairing.wait",
    "found CONNECTING pairing.failed",
  ]);
  assert.deepEqual(about(play, "stray/passing"), ["found CONNECTED", "found COMPLETE", "lost"]);
  await assert.rejects(play.adapter.pairing.keep("stray/passing"), { code: "refused" });
});

test("pairs a stray after its button is pressed", async () => {
  const play = await stage();
  await assert.rejects(press(play, "stray/remote"), { code: "refused", message: /^native: / });
  await play.adapter.pairing.open(60_000);
  assert.equal(play.found.get("stray/remote")?.actionRequired, true);
  assert.equal(play.found.get("stray/remote")?.description, null);
  await assert.rejects(press(play, "stray/porch"), { code: "refused" });
  assert.equal(await press(play, "stray/remote"), true);
  await play.clock.pass(2000);
  assert.deepEqual(about(play, "stray/remote"), [
    "found CONNECTING pairing.press-button",
    "found CONNECTED",
    "found COMPLETE",
  ]);
  assert.equal(play.found.get("stray/remote")?.description?.name, "Garden remote");
});

test("keeps a paired stray over a restart, until it is forgotten", async () => {
  const store = new Map<string, unknown>();
  const first = await stage(store);
  await first.adapter.pairing.open(60_000);
  await first.adapter.pairing.keep("stray/porch");
  await first.adapter.stop();
  const second = await stage(store);
  assert.deepEqual(about(second, "stray/porch"), ["announce"]);
  await second.adapter.forget("stray/porch");
  const lamp = { type: "set", attributes: { isOn: true } } as const;
  const sent = second.adapter.send("stray/porch", lamp, new AbortController().signal);
  await assert.rejects(sent, { code: "refused" });
  await second.adapter.stop();
  assert.deepEqual(about(await stage(store), "stray/porch"), []);
});

test("silences a forgotten device of the home and finds it again", async () => {
  const play = await stage();
  await play.adapter.forget("living/ceiling");
  play.reported.clear();
  await play.clock.pass(1000);
  play.adapter.world?.refresh("living/ceiling");
  assert.equal(play.reported.has("living/ceiling"), false);
  await play.adapter.pairing.open(1000);
  assert.deepEqual(about(play, "living/ceiling"), ["announce", "found COMPLETE"]);
  await play.adapter.pairing.keep("living/ceiling");
  assert.equal(play.reported.has("living/ceiling"), true);
});

test("does not find a device twice when the window is extended", async () => {
  const play = await stage();
  await play.adapter.pairing.open(1000);
  await play.clock.pass(900);
  await play.adapter.pairing.open(1000);
  await play.clock.pass(900);
  assert.deepEqual(about(play, "stray/porch"), ["found CONNECTED", "found COMPLETE"]);
  await play.clock.pass(5000);
  assert.deepEqual(about(play, "stray/passing"), ["found CONNECTED", "found COMPLETE"]);
});
