import assert from "node:assert/strict";
import { test } from "node:test";
import { type DataRecord, fromHex, MbusError, readRecords, timePointText } from "./index.ts";

const only = (hex: string, isHighFirst = false): DataRecord => {
  const { records } = readRecords(fromHex(hex), isHighFirst);
  assert.equal(records.length, 1);
  return records[0] as DataRecord;
};
const valueOf = (hex: string): number | undefined => {
  const { value } = only(hex);
  return value.kind === "number" ? value.value : undefined;
};
const timeOf = (hex: string): string | undefined => {
  const { value } = only(hex);
  return value.kind === "time" ? timePointText(value.time) : undefined;
};

test("keeps decimal fractions exact", () => {
  assert.equal(valueOf("03 13 15 31 00"), 12.565);
});

test("reads codes and counts without a sign, quantities with one", () => {
  assert.equal(valueOf("01 FD 17 FF"), 255);
  assert.equal(valueOf("01 13 FF"), -0.001);
});

test("keeps the digits of BCD with letters: they are how a meter reports an error", () => {
  assert.deepEqual(only("0B 5A A0 0B EE").value, { kind: "digits", digits: "EE0BA0" });
});

test("applies corrections and keeps what other VIFEs say", () => {
  assert.equal(valueOf("01 93 76 05"), 0.005);
  assert.equal(valueOf("01 93 74 05"), 0.000_05);
  assert.equal(valueOf("01 93 7D 05"), 5);
  assert.equal(valueOf("01 96 7A 05"), 5.1);
  assert.deepEqual(only("01 AB FC 01 05").qualifiers, ["at phase L1"]);
  assert.deepEqual(only("01 83 BB 22 05").qualifiers, ["accumulation only if positive", "per hour"]);
  assert.deepEqual(only("01 83 D0 FF 11 05").qualifiers, [
    "duration of first lower limit exceed",
    "manufacturer specific",
  ]);
});

test("reads points in time and durations that only a VIFE tells", () => {
  assert.equal(timeOf("14 DA 6F 32 14 7A 18"), "2011-08-26T20:50");
  assert.equal(timeOf("02 BB 43 DF 1C"), "2014-12-31");
  const { unit } = only("01 BB 56 03");
  assert.deepEqual([unit, valueOf("01 BB 56 03")], ["s", 10_800]);
});

test("reads dates of all types, and says which are invalid", () => {
  assert.equal(timeOf("06 6D 1E 2D 0B 98 11 02"), "2012-01-24T11:45:30");
  assert.equal(timeOf("03 6D 1E 2D 0B"), "11:45:30");
  const invalid = (hex: string): boolean | undefined => {
    const { value } = only(hex);
    return value.kind === "time" ? value.time.isInvalid : undefined;
  };
  assert.deepEqual(
    [invalid("02 6C FF FF"), invalid("04 6D 9E 08 61 19"), invalid("04 6D 1E 08 61 19")],
    [true, true, false],
  );
  assert.equal(timeOf("04 6D 1E 48 61 A9"), "2183-09-01T08:30");
});

test("reads numbers with their highest byte first in mode 2", () => {
  assert.deepEqual(only("02 13 01 00", true).value, { kind: "number", value: 0.256 });
});

test("knows quantities of later editions", () => {
  assert.equal(only("02 FD 74 0A 00").quantity, "Remaining battery life time");
  assert.deepEqual([only("01 FB 1B 07").unit, only("02 FB 2E 32 00").unit], ["%", "Hz"]);
});

test("calls a code without a meaning reserved", () => {
  assert.equal(only("01 FD 7F 07").quantity, "Reserved");
  assert.equal(only("01 6F 07").quantity, "Reserved");
});

test("reads a request of all data", () => {
  assert.equal(only("7F").quantity, "Request of all data");
});

for (const [hex, code, message] of [
  ["04", "truncated", /before the VIF/],
  ["04 13 01 02 03", "truncated", /within the data/],
  ["84", "truncated", /before the DIFE/],
  ["04 93", "truncated", /before the VIFE/],
  ["0D 13", "truncated", /before the length of the data/],
  ["0D 13 05 01", "truncated", /within the data/],
  ["0D 13 FB", "record", /length FB is reserved/],
  ["01 7C 05 41", "truncated", /within the text of the VIF/],
  ["3F", "record", /DIF 3F is reserved/],
  ["84 80 80 80 80 80 80 80 80 80 80 00", "record", /more than 10 DIFEs/],
  ["01 93 80 80 80 80 80 80 80 80 80 80 00", "record", /more than 10 VIFEs/],
] as const) {
  test(`refuses the record ${hex}`, () => {
    assert.throws(
      () => readRecords(fromHex(hex)),
      (error) => error instanceof MbusError && error.code === code && message.test(error.message),
    );
  });
}

test("accepts ten DIFEs and ten VIFEs", () => {
  assert.equal(only("81 8F 80 80 80 80 80 80 80 80 0F 13 01").storage, 30 + 15 * 2 * 16 ** 9);
  assert.equal(valueOf("01 93 80 80 80 80 80 80 80 80 80 00 07"), 0.007);
});
