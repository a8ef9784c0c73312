import assert from "node:assert/strict";
import { test } from "node:test";
import { BleError, decodeAdvertisement, fromHex, parseAdvertisement, type Reading } from "./index.ts";
import { type Example, examples, mutatedExample, tryMutated } from "./testdata/index.ts";

function decode({ hex, uuid, company, address }: Example, key?: string): Reading {
  const bytes = fromHex(hex);
  const services = new Map(uuid === undefined ? [] : [[uuid, bytes] as const]);
  const manufacturers = new Map(company === undefined ? [] : [[company, bytes] as const]);
  const found = key === undefined ? undefined : fromHex(key);
  return decodeAdvertisement({ services, manufacturers }, address, found) ?? assert.fail("of no format");
}

for (const example of examples) {
  test(example.name, () => {
    const { model, packet, measurements, events, isEncrypted } = decode(example, example.key);
    assert.deepEqual(
      Object.fromEntries(
        measurements.map(({ quantity, index, value }) => [
          index === 1 ? quantity : `${quantity} ${index}`,
          value,
        ]),
      ),
      example.values,
    );
    assert.deepEqual(
      events.map(({ source, index, event }) => `${source} ${index} ${event}`),
      example.events ?? [],
    );
    assert.deepEqual(
      [model, packet, isEncrypted],
      [example.model, example.packet, example.key !== undefined],
    );
  });
}

test("an encrypted advertisement needs its own key, unchanged bytes and its own address", () => {
  for (const example of examples.filter(({ key }) => key !== undefined)) {
    const { key = "", hex, address } = example;
    const flipped = `${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`;
    const cases: [string, () => unknown][] = [
      ["locked", () => decode(example)],
      ["key", () => decode(example, "00".repeat(16))],
      ["key", () => decode(example, key.slice(2))],
      ["key", () => decode({ ...example, hex: flipped }, key)],
    ];
    // MiBeacon has the address in its frame.
    if (example.uuid === 0xfcd2)
      cases.push(["key", () => decode({ ...example, address: `00${address.slice(2)}` }, key)]);
    for (const [code, run] of cases)
      assert.throws(
        run,
        (error) => error instanceof BleError && error.code === code,
        `${example.name} ${code}`,
      );
  }
});

test("says what is wrong with bytes", () => {
  const bthome = { ...(examples[0] as Example) };
  const ruuvi = examples.find(({ company }) => company !== undefined) as Example;
  const mibeacon = examples.find(({ name }) => name.startsWith("MiBeacon 2")) as Example;
  for (const [example, hex, code] of [
    [bthome, "", "truncated"],
    [bthome, "20", "unsupported"],
    [bthome, "4002ca", "truncated"],
    [bthome, "402102", "format"],
    [bthome, "405305", "truncated"],
    [bthome, "410011", "truncated"],
    [ruuvi, "03", "unsupported"],
    [ruuvi, "0512FC", "truncated"],
    [mibeacon, "5010aa01da", "unsupported"],
    [mibeacon, "5020aa01da2193", "truncated"],
    [mibeacon, "5020aa01da219335342d580410030102ff", "format"],
    [mibeacon, "5820aa01da219335342d58041002c400", "unsupported"],
  ] as const)
    assert.throws(
      () => decode({ ...example, hex }),
      (error) => error instanceof BleError && error.code === code,
      `${hex} ${code}`,
    );
});

test("keeps what comes before an object that it does not know", () => {
  const { measurements } = decode({ ...(examples[0] as Example), hex: "4002ca09ee0102ffff" });
  assert.deepEqual(
    measurements.map(({ quantity, value }) => [quantity, value]),
    [["temperature", 25.06]],
  );
});

test("reads raw advertising data, and leaves out what is cut off", () => {
  const raw = fromHex(
    `020106 0a16d2fc4002ca0903bf13 0509496e2031 05ff9904ffff 0916d2fc40`.replaceAll(" ", ""),
  );
  const { name, services, manufacturers } = parseAdvertisement(raw);
  assert.equal(name, "In 1");
  assert.deepEqual([...(services.get(0xfcd2) ?? [])], [...fromHex("4002ca0903bf13")]);
  assert.deepEqual([...(manufacturers.get(0x0499) ?? [])], [0xff, 0xff]);
  assert.equal(
    decodeAdvertisement({ services: new Map(), manufacturers: new Map() }, "112233445566"),
    undefined,
  );
});

// The long form is `npm run -s fuzz -- --target ble`.
test("copes with 3,000 mutated advertisements", () => {
  let state = 1;
  const below = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const outcomes = new Set<string>();
  for (let number = 0; number < 3000; number += 1) {
    const mutated = mutatedExample(below);
    const { outcome, problems } = tryMutated(mutated);
    assert.deepEqual(problems, [], Buffer.from(mutated.bytes).toString("hex"));
    outcomes.add(outcome);
  }
  for (const outcome of ["decoded", "truncated", "format", "unsupported", "locked"])
    assert.ok(outcomes.has(outcome), outcome);
});
