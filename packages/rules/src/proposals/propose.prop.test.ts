import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyDecider, Capability, Command, DeviceClass } from "@ledge/model";
import { aggregates, languages, limits } from "@ledge/model";
import { contentOf, openTestKernel, seededRandom, type TestKernel } from "@ledge/testkit";
import { rulesOf } from "../catalogue/config.ts";
import { catalogue } from "../templates/index.ts";
import { best, candidates, proposalOf, type ProposalsWanted, tried } from "./propose.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

const kinds: readonly (readonly [DeviceClass, readonly Capability[]])[] = [
  ["LIGHT", ["ON_OFF", "BRIGHTNESS", "COLOR_TEMP"]],
  ["POWER_SOCKET", ["ON_OFF", "ACTIVE_POWER"]],
  ["MOTION", ["MOTION", "BATTERY_U"]],
  ["CONTACT", ["CONTACT", "BATTERY_U"]],
  ["MULTI_SENSOR", ["LUX", "TEMPERATURE", "HUMIDITY", "CO2"]],
  ["THERMOSTAT", ["THERMOSTAT", "CONTROL_TEMPERATURE", "TEMPERATURE"]],
  ["MULTI_SENSOR", ["MOISTURE"]],
  ["SMOKE_ALARM", ["SMOKE"]],
  ["POWER_SOCKET", ["ON_OFF", "VALVE"]],
  ["ALARM_DEVICE", ["ALERT"]],
  ["REMOTE_CONTROL", ["REMOTE_CONTROL"]],
];

interface Home {
  readonly kernel: TestKernel;
  readonly rooms: readonly string[];
  readonly devices: readonly string[];
}

/** A home with some rooms and devices, a few of them in no room, and some of the proposed rules. */
async function someHome(random: (below: number) => number, size: number): Promise<Home> {
  const rules = rulesOf(catalogue) as AnyDecider;
  let ids = 0;
  const kernel = openTestKernel({
    aggregates: aggregates.map((known) => (known.kind === "rule" ? rules : known)),
    newId: () => `id-${String(++ids).padStart(5, "0")}`,
  });
  const rooms: string[] = [];
  for (let count = 0; count < size; count++)
    rooms.push(await kernel.accept({ type: "CMD_ROOM", name: `Room ${count}` }));
  const devices: string[] = [];
  for (let count = 0; count < size * 5; count++) {
    const [type, capabilities] = kinds[random(kinds.length)] ?? ["LIGHT", ["ON_OFF"]];
    const content = { ...contentOf(type, ["DEVICE", ...capabilities]), extras: {} };
    const native = `n${count}`;
    const add = { type: "ADD_DEVICE", name: native, protocol: "sim", native, radio: "sim", ...content };
    const id = await kernel.accept(add);
    devices.push(id);
    const room = rooms[random(rooms.length)] ?? "";
    if (random(8) > 0) await kernel.accept({ type: "CMD_DEVICE_META", id, room: [room] });
  }
  return { kernel, rooms, devices };
}

function propose({ kernel: { kernel } }: Home, wanted: ProposalsWanted, hidden?: string) {
  const mayRead = (id: string): boolean => id !== hidden;
  const seen = { read: kernel, mayRead, now: kernel.timestamp, language: "en" } as const;
  return best(candidates(wanted, seen, catalogue), wanted);
}

test(`each proposal can be made as it is and matches the request (SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  const types = new Set<string>();
  for (let round = 0; round < 25; round++) {
    const home = await someHome(random, 1 + random(6));
    const { devices, rooms, kernel } = home;
    for (let count = 0; count < 6; count++) {
      const chosen = devices.filter(() => random(4) === 0).slice(0, random(5));
      const of = catalogue.templates[random(catalogue.templates.length)]?.configType ?? null;
      const wanted: ProposalsWanted = {
        devices: chosen,
        room: random(3) === 0 ? (rooms[random(rooms.length)] ?? null) : null,
        max: 1 + random(8),
        configType: random(4) === 0 ? of : null,
      };
      const hidden = devices[random(devices.length)] ?? "";
      const found = propose(home, wanted, hidden);
      assert.deepEqual(found, propose(home, wanted, hidden));
      assert.ok(found.length <= wanted.max);
      const counts = new Map<string, number>();
      for (const { config, score, reasons } of found) {
        const { configType, inputs, outputs } = config;
        types.add(configType);
        counts.set(configType, (counts.get(configType) ?? 0) + 1);
        assert.ok(wanted.configType === null || wanted.configType === configType);
        const used = [inputs, outputs].flatMap((fields) => Object.values(fields).flat());
        assert.equal(new Set(used).size, used.length);
        assert.ok(!used.includes(hidden));
        const selected = used.filter((id) => chosen.includes(id));
        assert.ok(chosen.filter((id) => id !== hidden).length === 0 || selected.length > 0);
        assert.ok(score >= 50 * selected.length && reasons.length > 0);
        const rooms_ = new Set(used.flatMap((id) => kernel.kernel.get("device", id)?.room ?? []));
        if (wanted.room !== null && chosen.length === 0) assert.deepEqual([...rooms_], [wanted.room]);
        for (const [, { config: known }] of kernel.kernel.all("rule")) {
          if (known.configType !== configType) continue;
          const driven = new Set(Object.values(known.outputs).flat());
          const own = Object.values(outputs).flat();
          assert.ok(own.every((id) => !driven.has(id)));
        }
      }
      if (wanted.configType === null)
        assert.ok([...counts.values()].every((many) => many <= limits.proposalsOfType));
      const scores = found.map(({ score }) => score);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
      // The hub accepts each proposal; the one that is made is not proposed again.
      for (const { config } of found) {
        const command = { type: "SET_RULE", config: { ...config, id: null } } as Command;
        const { outcome } = kernel.kernel.foresee({ commands: [command], origin: "system" });
        assert.ok(outcome.accepted, JSON.stringify(outcome));
      }
      const [first] = found;
      if (first === undefined) continue;
      await kernel.accept({ type: "SET_RULE", config: { ...first.config, id: null } });
      const again = propose(home, { ...wanted, max: limits.proposals });
      assert.ok(again.every(({ config }) => JSON.stringify(config) !== JSON.stringify(first.config)));
    }
    await kernel.kernel.close();
  }
  assert.ok(types.size > 10, [...types].join(" "));
});

test("a rule that would have acted ranks first, with a reason in four languages", async () => {
  const home = await someHome(seededRandom(1), 4);
  const { kernel } = home.kernel;
  const wanted = { devices: [], room: null, max: 50, configType: null };
  const seen = { read: kernel, mayRead: () => true, now: 0, language: "en" } as const;
  const found = candidates(wanted, seen, catalogue);
  const second = found.find(
    ({ score }) => score < (found[0]?.score ?? 0) && score > (found[0]?.score ?? 0) - 20,
  );
  assert.ok(second !== undefined);
  const judged = best(
    found.map((one) => tried(one, one === second ? 12 : 0, 7)),
    wanted,
  );
  assert.equal(judged[0]?.config, second.config);
  const texts = languages.map((language) => judged[0] && proposalOf(judged[0], language).texts.at(-1));
  assert.equal(texts[0], "In the last 7 days it would have acted: 12 times.");
  assert.equal(new Set(texts).size, languages.length);
  assert.deepEqual(judged[0]?.reasons.at(-1)?.parameters, { count: 12, days: 7 });
  await kernel.close();
});

test("all proposals for a large home differ", async () => {
  const home = await someHome(seededRandom(3), 40);
  const wanted = { devices: [], room: null, max: limits.proposals, configType: null };
  const found = propose(home, wanted);
  assert.ok(found.length > 20);
  assert.equal(new Set(found.map(({ config }) => JSON.stringify(config))).size, found.length);
  await home.kernel.kernel.close();
});
