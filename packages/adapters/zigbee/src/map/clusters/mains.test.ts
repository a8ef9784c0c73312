import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { attributesOf } from "../attributes.ts";
import type { ClusterValues } from "../facts.ts";
import { unreadOptions } from "../unread.ts";
import { nodeFacts } from "../test-node.ts";
import type { Unit } from "../unit.ts";
import { unitsOf } from "../units.ts";
import type { AttributeValues } from "../values.ts";

const electrical = "haElectricalMeasurement";
const meter = "seMetering";
const clusters = { [electrical]: 0x0b04, [meter]: 0x0702 } as const;

/** Returns a device with these clusters that has answered the reads of its attributes. */
function deviceWith(values: ClusterValues, inputs = Object.keys(values)): Unit {
  const ids = inputs.map((name) => clusters[name as keyof typeof clusters]);
  return unitsOf(nodeFacts([{ device: 0x0051, in: ids, values }]))[0] as Unit;
}

function shown(unit: Unit, cluster: string, data: object, before: AttributeValues = {}): AttributeValues {
  return attributesOf(unit, { endpoint: 1, cluster, type: "attributeReport", data }, before);
}

const plug = deviceWith({
  [electrical]: {
    activePower: 0,
    rmsVoltage: 2300,
    rmsCurrent: 0,
    acFrequency: 500,
    powerFactor: 0,
    apparentPower: 0,
    reactivePower: 0,
    acVoltageMultiplier: 1,
    acVoltageDivisor: 10,
    acCurrentMultiplier: 2,
    acCurrentDivisor: 1000,
    acFrequencyMultiplier: 1,
    acFrequencyDivisor: 10,
    acPowerMultiplier: 1,
    acPowerDivisor: 10,
  },
});

const rows: readonly (readonly [data: object, attributes: AttributeValues])[] = [
  [{ rmsVoltage: 2314 }, { voltage: 231.4 }],
  [{ rmsCurrent: 1234 }, { current: 2.468 }],
  [{ acFrequency: 499 }, { frequency: 49.9 }],
  [{ powerFactor: -97 }, { powerFactor: -0.97 }],
  [{ apparentPower: 5000 }, { apparentPower: 500 }],
  [{ reactivePower: -125 }, { reactivePower: -12.5 }],
  [{ activePower: -15 }, { activePower: -1.5, power: -1.5 }],
  [{ rmsVoltage: 2300, rmsCurrent: 0xffff }, { voltage: 230 }],
];

describe("a device without a definition shows of the mains", () => {
  for (const [data, attributes] of rows)
    test(JSON.stringify(data), () => assert.deepEqual(shown(plug, electrical, data), attributes));

  const invalid = {
    rmsVoltage: 0xffff,
    rmsCurrent: 0xffff,
    acFrequency: 0xffff,
    apparentPower: 0xffff,
    reactivePower: -0x8000,
    activePower: -0x8000,
    powerFactor: -128,
  };
  for (const [name, value] of Object.entries(invalid))
    test(`nothing for the invalid value ${value} of ${name}`, () => {
      assert.deepEqual(shown(plug, electrical, { [name]: value }), {});
    });

  test("nothing for values that are no numbers of the cluster", () => {
    for (const rmsVoltage of ["2300", null, -1, 230.5, Number.NaN, 2 ** 40, [], {}])
      assert.deepEqual(shown(plug, electrical, { rmsVoltage }), {});
  });

  test("plain volts and amperes without scales, and with impossible ones", () => {
    const bare = deviceWith({ [electrical]: { rmsVoltage: 230, rmsCurrent: 1 } });
    assert.deepEqual(shown(bare, electrical, { rmsVoltage: 229, rmsCurrent: 2 }), {
      voltage: 229,
      current: 2,
    });
    const zero = deviceWith({
      [electrical]: { rmsVoltage: 230, acVoltageDivisor: 0, acVoltageMultiplier: 0xffff },
    });
    assert.deepEqual(shown(zero, electrical, { rmsVoltage: 229 }), { voltage: 229 });
  });
});

test("a device has what it has answered a read of, also when it could not measure then", () => {
  const { capabilities } = deviceWith({ [electrical]: { rmsVoltage: 0xffff } });
  assert.ok(capabilities.includes("VOLTAGE"));
  for (const other of [
    "CURRENT",
    "FREQUENCY",
    "POWER_FACTOR",
    "PHASES",
    "APPARENT_POWER",
    "REACTIVE_POWER",
  ] as const)
    assert.ok(!capabilities.includes(other), other);
  const silent = deviceWith({}, [electrical]).capabilities;
  assert.deepEqual(
    silent.filter((each) => each !== "CONFIGURABLE"),
    ["DEVICE", "MEASURE_POWER", "ACTIVE_POWER"],
  );
});

test("asks for each attribute that a device might have, in reads whose answers fit into a frame", () => {
  const asked = unreadOptions([deviceWith({}, [electrical])]);
  assert.ok(asked.every(({ attributes }) => attributes.length <= 10));
  const names = asked.flatMap(({ attributes }) => attributes);
  for (const name of [
    "rmsVoltage",
    "rmsVoltagePhB",
    "powerFactorPhC",
    "acVoltageDivisor",
    "totalActivePower",
  ])
    assert.ok(names.includes(name), name);
  assert.equal(new Set(names).size, names.length);
  const left = unreadOptions([plug]).flatMap(({ attributes }) => attributes);
  assert.ok(!left.includes("rmsVoltage"), "it is known");
});

test("reports what it can in its own steps, polls the rest, and reads all of it", () => {
  const { reporting, reads } = plug.setup;
  const steps = Object.fromEntries(reporting.map(({ attribute, change }) => [attribute, change]));
  assert.deepEqual(steps, {
    activePower: 50,
    rmsVoltage: 30,
    rmsCurrent: 50,
    acFrequency: 2,
    apparentPower: 50,
    reactivePower: 50,
  });
  assert.deepEqual(
    plug.setup.polls.flatMap(({ attributes }) => attributes),
    ["powerFactor"],
    "the standard has no reports of it",
  );
  const read = new Set(reads.flatMap(({ attributes }) => attributes));
  for (const name of [...Object.keys(steps), "powerFactor"]) assert.ok(read.has(name), name);
  assert.ok(!read.has("acVoltageDivisor"), "a scale does not change");
});

describe("a device with several phases", () => {
  const values = {
    activePower: 100,
    activePowerPhB: 200,
    activePowerPhC: 300,
    rmsVoltage: 230,
    rmsVoltagePhB: 231,
    rmsVoltagePhC: 0xffff,
    rmsCurrentPhB: 5,
    powerFactorPhB: 100,
    reactivePower: 5,
    reactivePowerPhB: 6,
  };
  const house = deviceWith({ [electrical]: values });

  test("shows each phase, and the sum of the powers once all of them are known", () => {
    const first = shown(house, electrical, { activePower: 100, activePowerPhB: 200 });
    assert.deepEqual(first, { powerA: 100, powerB: 200 });
    const whole = { powerA: 100, powerB: 200, powerC: -50 };
    const then = shown(house, electrical, { activePowerPhC: -50 }, first);
    assert.deepEqual({ ...first, ...then }, { ...whole, activePower: 250, power: 250 });
    assert.deepEqual(shown(house, electrical, { activePowerPhB: 210 }, whole), {
      powerB: 210,
      activePower: 260,
      power: 260,
    });
  });

  test("sums only over the phases that it measures", () => {
    assert.deepEqual(shown(house, electrical, { reactivePower: 7, reactivePowerPhB: 8 }), {
      reactivePowerA: 7,
      reactivePowerB: 8,
      reactivePower: 15,
    });
  });

  test("sums over the first phase also when it had not told that one before it was described", () => {
    const unit = deviceWith({ [electrical]: { activePowerPhB: 200 } });
    assert.deepEqual(shown(unit, electrical, { activePowerPhB: 150 }, { powerA: 100 }), {
      powerB: 150,
      activePower: 250,
      power: 250,
    });
  });

  test("shows no voltage of the whole", () => {
    const data = { rmsVoltage: 230, rmsVoltagePhB: 0xffff, rmsCurrentPhB: 5, powerFactorPhB: 50 };
    assert.deepEqual(shown(house, electrical, data), { voltageA: 230, currentB: 5, powerFactorB: 0.5 });
  });

  test("is one with a single phase when the others are invalid", () => {
    const single = deviceWith({
      [electrical]: { rmsVoltage: 230, rmsVoltagePhB: 0xffff, activePowerPhB: -0x8000 },
    });
    assert.deepEqual(shown(single, electrical, { rmsVoltage: 230, activePower: 5 }), {
      voltage: 230,
      activePower: 5,
      power: 5,
    });
  });
});

describe("totals of all phases", () => {
  const scale = { powerMultiplier: 1, powerDivisor: 1000 };
  const totals = { totalActivePower: 0, totalReactivePower: 0, totalApparentPower: 0 };

  test("count in kW, kvar and kVA with a scale of their own", () => {
    const unit = deviceWith({ [electrical]: { ...totals, ...scale } });
    const data = { totalActivePower: 1500, totalReactivePower: -20, totalApparentPower: 1600 };
    assert.deepEqual(shown(unit, electrical, data), {
      activePower: 1500,
      power: 1500,
      reactivePower: -20,
      apparentPower: 1600,
    });
    assert.deepEqual(shown(unit, electrical, { totalActivePower: -0x8000_0000 }), {});
  });

  test("are ignored without a scale, and where the device tells the power of a phase", () => {
    const data = { totalActivePower: 1500 };
    assert.deepEqual(shown(deviceWith({ [electrical]: totals }), electrical, data), {});
    const own = deviceWith({ [electrical]: { ...totals, ...scale, activePower: 3 } });
    assert.deepEqual(shown(own, electrical, data), {});
  });
});

describe("a meter without a definition", () => {
  const values = { multiplier: 1, divisor: 1000, unitOfMeasure: 0, currentSummReceived: 0, powerFactor: 100 };
  const solar = deviceWith({ [meter]: values });

  test("shows the energy that the home feeds into the grid, and the power factor", () => {
    assert.ok(solar.capabilities.includes("PRODUCED_ENERGY"));
    assert.deepEqual(
      shown(solar, meter, { currentSummDelivered: 5000, currentSummReceived: 1234, powerFactor: 95 }),
      { totalPower: 5, producedEnergy: 1.234, powerFactor: 0.95 },
    );
    assert.deepEqual(shown(solar, meter, { currentSummReceived: 2 ** 48 - 1, powerFactor: -128 }), {});
  });

  test("shows none of them when it has not said that it counts them, or counts gas", () => {
    const plain = deviceWith({ [meter]: { multiplier: 1, divisor: 1000 } });
    assert.deepEqual(shown(plain, meter, { currentSummReceived: 1234 }), {});
    const gas = deviceWith({ [meter]: { ...values, unitOfMeasure: 1 } });
    assert.deepEqual(shown(gas, meter, { currentSummReceived: 1234 }), {});
  });

  test("leaves the power factor to the electrical cluster", () => {
    const both = deviceWith({ [meter]: values, [electrical]: { powerFactor: 90 } });
    assert.deepEqual(shown(both, meter, { powerFactor: 95 }), {});
  });
});
