import assert from "node:assert/strict";
import { test } from "node:test";
import type { Capability, DeviceClass } from "@ledge/model";
import { seededRandom } from "@ledge/testkit";
import fc from "fast-check";
import { filledIn, isSwitched, somethingShown } from "../testdata/filling.ts";
import { TestHouse } from "../testdata/house.ts";
import { catalogue } from "../templates/index.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

const kinds: readonly (readonly [DeviceClass, readonly Capability[], object])[] = [
  ["LIGHT", ["ON_OFF", "BRIGHTNESS"], { isOn: false, brightness: 0.5 }],
  ["MOTION", ["MOTION"], { motion: false }],
  ["CONTACT", ["CONTACT"], { open: false }],
  ["MULTI_SENSOR", ["LUX", "TEMPERATURE", "HUMIDITY"], { lux: 20, temperature: 20, humidity: 40 }],
  ["POWER_SOCKET", ["ON_OFF"], { isOn: true }],
];

/**
 * Returns what a home with these rules does. Each rule's id comes from its number, whatever the order, and
 * all are made in one commit, because age decides between rules of equal rank.
 */
async function does(number: number, order: readonly number[]): Promise<readonly string[]> {
  const random = seededRandom(number);
  const ids: string[] = [];
  let next = 0;
  const newId = (): string => ids.shift() ?? `new-${String(++next).padStart(6, "0")}`;
  const house = await TestHouse.open({ kernel: { newId }, unchecked: true });
  for (const [index, [type, capabilities, shown]] of [...kinds, ...kinds].entries()) {
    await house.addDevice(`${type} ${index}`, type, capabilities, shown as Record<string, unknown>);
  }
  const scenes = [await house.accept({ type: "CMD_SCENE", name: "scene" })];
  const devices = [...house.kernel.all("device")].map(([, device]) => device);
  const templates = catalogue.templates.filter(({ internal }) => !internal);
  const rules = order.map((_, index) => {
    const template = templates[random(templates.length)];
    const filled = template && filledIn(template, devices, scenes, random);
    return (
      filled && {
        id: `rule-${index}`,
        config: house.configOf(`${index}`, template?.configType ?? "", filled),
      }
    );
  });
  const created = order.flatMap((index) => rules[index] ?? []);
  ids.push(...created.map(({ id }) => id));
  const made = await house.hub.submit(created.map(({ config }) => ({ type: "SET_RULE", config })));
  assert.ok(made.accepted, JSON.stringify(made));
  assert.deepEqual(ids, []);
  await house.clock.pass(10);
  for (const [index] of order.entries()) {
    const id = `rule-${index}`;
    if (house.kernel.get("rule", house.call(id, id)) !== undefined)
      await house.accept({ type: "RULE_ON_COMMAND", id });
  }
  for (let step = 0; step < 25; step++) {
    const device = house.device(devices[random(devices.length)]?.id ?? "");
    const shown = somethingShown(device, random);
    if (random(5) === 0 && isSwitched(device)) await house.use(device.id, { isOn: random(2) === 0 });
    else await house.report(device.id, shown);
    await house.clock.pass(random(3) === 0 ? 600_000 : 1000);
  }
  const done = house.issued();
  await house.close();
  return done;
}

test(`rules act the same in whatever order they were made (SEED=${seed})`, async () => {
  let commands = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(2 ** 31 - 1),
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { minLength: 10 }),
      async (number, order) => {
        const one = await does(
          number,
          order.toSorted((a, b) => a - b),
        );
        commands += one.length;
        assert.deepEqual(await does(number, order), one);
      },
    ),
    { seed, numRuns: 25 },
  );
  assert.ok(commands > 100, `only ${commands} commands`);
});
