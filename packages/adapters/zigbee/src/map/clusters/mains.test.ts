import assert from "node:assert/strict";
import test, { describe } from "node:test";
import type { AttributeValues } from "@ledge/exposes";
import { attributesOf } from "../attributes.ts";
import type { ClusterValues } from "../facts.ts";
import { unreadOptions } from "../unread.ts";
import { nodeFacts } from "../test-node.ts";
import type { Unit } from "../unit.ts";
import { unitsOf } from "../units.ts";

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

/** Returns a device of which each endpoint has told these values of the electrical cluster. */
function deviceOf(ends: readonly object[], further: readonly number[] = []): readonly Unit[] {
  return unitsOf(
    nodeFacts(
      ends.map((values, index) => ({
        id: index + 1,
        device: 0x0053,
        in: [0x0b04, ...further],
        values: { [electrical]: { ...values } },
      })),
    ),
  );
}

const at = (unit: Unit, endpoint: number, cluster: string, data: object, before = {}): AttributeValues =>
  attributesOf(unit, { endpoint, cluster, type: "attributeReport", data }, before);

describe("a device with each phase on an endpoint of its own", () => {
  const volts = { rmsVoltage: 230 };
  const [house = assert.fail(), ...others] = deviceOf([volts, volts, volts], [0x0702]);

  test("is one device with phases", () => {
    assert.equal(others.length, 0);
    assert.ok(house.capabilities.includes("PHASES"));
    const reported = house.setup.reporting.filter(({ attribute }) => attribute === "rmsVoltage");
    assert.deepEqual(
      reported.map(({ endpoint }) => endpoint),
      [1, 2, 3],
    );
  });

  test("names them by the order of the endpoints, and sums the powers once all are known", () => {
    const data = { rmsVoltage: 231, activePower: 100 };
    const first = at(house, 1, electrical, data);
    assert.deepEqual(first, { voltageA: 231, powerA: 100 });
    const second = at(house, 2, electrical, data, first);
    assert.deepEqual(second, { voltageB: 231, powerB: 100 });
    const third = at(house, 3, electrical, { activePower: -50, rmsCurrent: 0xffff }, { ...first, ...second });
    assert.deepEqual(third, { powerC: -50, power: 150, activePower: 150 });
  });

  test("counts the energy of each, and of all", () => {
    const first = at(house, 1, meter, { currentSummDelivered: 1500, currentSummReceived: 20 });
    assert.deepEqual(first, { energyA: 1.5 });
    const known = { energyA: 1.5, energyB: 2 };
    assert.deepEqual(at(house, 3, meter, { currentSummDelivered: 250 }, known), {
      energyC: 0.25,
      totalPower: 3.75,
    });
    assert.deepEqual(at(house, 3, meter, { currentSummDelivered: 2 ** 48 - 1 }, known), {});
  });

  test("with one meter of energy leaves that whole", () => {
    const [unit = assert.fail()] = unitsOf(
      nodeFacts(
        [[0x0b04, 0x0702], [0x0b04], [0x0b04]].map((inputs, index) => ({
          id: index + 1,
          device: 0x0053,
          in: inputs,
          values: { [electrical]: volts },
        })),
      ),
    );
    assert.deepEqual(at(unit, 1, meter, { currentSummDelivered: 1500 }), { totalPower: 1.5 });
  });

  test("is taken for a single one while only one endpoint measures", () => {
    for (const silent of [{}, { rmsVoltage: 0xffff }]) {
      const [unit = assert.fail()] = deviceOf([volts, silent]);
      assert.ok(!unit.capabilities.includes("PHASES"));
      assert.deepEqual(at(unit, 1, electrical, volts), { voltage: 230 });
      assert.deepEqual(at(unit, 2, electrical, { activePower: 7 }), {});
      const asked = unreadOptions([unit]).filter(({ endpoint }) => endpoint === 2);
      assert.ok(
        asked.some(({ attributes }) => attributes.includes("rmsCurrent")),
        "it may measure later",
      );
    }
  });

  test("shows the first endpoint alone when there are more than phases", () => {
    const [unit = assert.fail()] = deviceOf([volts, volts, volts, volts]);
    assert.ok(!unit.capabilities.includes("PHASES"));
    assert.deepEqual(at(unit, 1, electrical, volts), { voltage: 230 });
    assert.deepEqual(at(unit, 3, electrical, volts), {});
  });

  test("shows the endpoint that measures all of them when there is one", () => {
    const [unit = assert.fail()] = deviceOf([{ rmsVoltage: 230, rmsVoltagePhB: 231 }, volts]);
    assert.deepEqual(at(unit, 1, electrical, { rmsVoltagePhB: 232 }), { voltageB: 232 });
    assert.deepEqual(at(unit, 2, electrical, volts), {});
  });

  test("is not a device with two sockets", () => {
    const units = deviceOf([volts, volts], [0x0006]);
    assert.equal(units.length, 2);
    for (const [index, unit] of units.entries()) {
      assert.ok(!unit.capabilities.includes("PHASES"));
      assert.deepEqual(at(unit, index + 1, electrical, volts), { voltage: 230 });
    }
  });
});

/** Returns a device of which each endpoint has told these values of a meter, and has these clusters besides. */
function metersOf(ends: readonly object[], further: readonly number[] = []): Unit {
  const facts = ends.map((values, index) => {
    return {
      id: index + 1,
      device: 0x0053,
      in: [0x0702, ...(index === 0 ? further : [])],
      values: { [meter]: { ...values } },
    };
  });
  const [unit = assert.fail()] = unitsOf(nodeFacts(facts));
  return unit;
}

describe("a device with a meter on several endpoints and no other measurement", () => {
  const scale = { multiplier: 1, divisor: 1000, unitOfMeasure: 0 };
  const reports = { currentSummDelivered: 1500, instantaneousDemand: 100, powerFactor: 90 };

  test("shows them as phases, and sums energies and powers once all are known", () => {
    const unit = metersOf([{ ...scale, powerFactor: 100 }, scale, scale]);
    assert.ok(unit.capabilities.includes("PHASES"));
    const first = at(unit, 1, meter, reports);
    assert.deepEqual(first, { energyA: 1.5, powerA: 100, powerFactorA: 0.9 });
    const second = at(unit, 2, meter, { currentSummDelivered: 500, instantaneousDemand: -40 }, first);
    assert.deepEqual(second, { energyB: 0.5, powerB: -40 });
    const known = { ...first, ...second };
    assert.deepEqual(at(unit, 3, meter, { currentSummDelivered: 1, instantaneousDemand: 1 }, known), {
      energyC: 0.001,
      totalPower: 2.001,
      powerC: 1,
      power: 61,
      activePower: 61,
    });
  });

  test("counts meters of gas and water as none", () => {
    const unit = metersOf([scale, { ...scale, unitOfMeasure: 1 }]);
    assert.ok(!unit.capabilities.includes("PHASES"));
    assert.deepEqual(at(unit, 1, meter, { currentSummDelivered: 1500 }), { totalPower: 1.5 });
    assert.deepEqual(at(unit, 2, meter, { currentSummDelivered: 1500 }), {});
  });

  test("shows the first alone when there are more than phases, and when one measures the mains too", () => {
    for (const unit of [metersOf([scale, scale, scale, scale]), metersOf([scale, scale], [0x0b04])]) {
      assert.ok(!unit.capabilities.includes("PHASES"));
      assert.deepEqual(at(unit, 1, meter, { currentSummDelivered: 1500 }), { totalPower: 1.5 });
    }
  });
});

describe("direct current", () => {
  const [direct, both] = [0x40, 0x48];
  const values = {
    measurementType: direct,
    dcVoltage: 5120,
    dcCurrent: 100,
    dcPower: 0,
    dcVoltageDivisor: 100,
    dcCurrentDivisor: 1000,
    dcPowerDivisor: 10,
  };
  const battery = deviceWith({ [electrical]: values });

  test("is shown as voltage, current and power, also below zero", () => {
    for (const name of ["VOLTAGE", "CURRENT", "ACTIVE_POWER", "MEASURE_POWER"] as const)
      assert.ok(battery.capabilities.includes(name), name);
    assert.deepEqual(shown(battery, electrical, { dcVoltage: 4805, dcCurrent: -2500, dcPower: -1201 }), {
      voltage: 48.05,
      current: -2.5,
      power: -120.1,
      activePower: -120.1,
    });
    assert.deepEqual(shown(battery, electrical, { dcVoltage: -0x8000, dcCurrent: 1.5, dcPower: "9" }), {});
  });

  test("is asked for, reported and read once a device says that it measures nothing else", () => {
    const names = (unit: Unit): readonly string[] =>
      unreadOptions([unit]).flatMap(({ attributes }) => attributes);
    assert.ok(names(deviceWith({}, [electrical])).includes("measurementType"));
    const asked = names(deviceWith({ [electrical]: { measurementType: direct } }));
    assert.ok(asked.includes("dcVoltage") && !asked.includes("rmsVoltage"));
    const { reporting, reads } = battery.setup;
    assert.deepEqual(Object.fromEntries(reporting.map(({ attribute, change }) => [attribute, change])), {
      dcPower: 50,
      dcVoltage: 50,
      dcCurrent: 100,
    });
    assert.ok(!reads.some(({ attributes }) => attributes.includes("activePower")));
  });

  test("is left out where a device measures mains as well, and where it does not say what it measures", () => {
    for (const measurementType of [both, 0, -1, 2 ** 33, "64", undefined]) {
      const unit = deviceWith({ [electrical]: { ...values, measurementType, rmsVoltage: 230 } });
      assert.deepEqual(shown(unit, electrical, { dcVoltage: 100, rmsVoltage: 231 }), { voltage: 231 });
    }
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
