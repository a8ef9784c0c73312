import assert from "node:assert/strict";
import { test } from "node:test";
import { Cluster, within } from "./cluster.ts";
import { ZclDevice } from "./device.ts";
import { Endpoint } from "./endpoint.ts";
import { octets, TestLine } from "./test-line.ts";
import { Truncated } from "./zcl/bytes.ts";
import * as zcl from "./zcl/foundation.ts";
import { status } from "./zcl/status.ts";
import type { Value } from "./zcl/types.ts";

const id = 0x0402;
const maker = 0x115f;

type Name = "measured" | "lowest" | "offset" | "secret" | "own" | "mode" | "total";

class Probe extends Cluster<Name> {
  constructor() {
    super(id, {
      measured: { id: 0, type: "int16", value: 2000, isReportable: true },
      lowest: { id: 1, type: "int16", value: null },
      offset: { id: 2, type: "int8", value: 0, isWritable: true, check: within(-5, 5) },
      secret: { id: 3, type: "uint8", value: 9, isWritable: true, readStatus: status.writeOnly },
      own: { id: 3, type: "text", value: "mine", manufacturer: maker },
      mode: { id: 5, type: "enum8", value: 1, isReportable: true },
      total: { id: 6, type: "uint48", value: 0, isReportable: true },
    });
    this.on(0x01, (payload) => (payload.uint8() === 1 ? undefined : status.failure));
    this.on(0x02, () => ({ command: 0x12, payload: octets([7, 1]) }));
    this.on(0x03, () => null);
    this.takes(0x04, ["uint16"], ["map8", "map8"]);
    this.on(0x04, () => undefined);
    this.takes(0x05, ["octets"]);
    this.on(0x05, () => undefined);
  }
}

function probe(): { cluster: Probe; line: TestLine; device: ZclDevice } {
  const cluster = new Probe();
  const device = new ZclDevice({
    ieee: "0x00158d0000000001",
    kind: "router",
    isMainsPowered: true,
    manufacturerCode: maker,
    endpoints: [new Endpoint(1, 0x0302, [cluster])],
  });
  return { cluster, device, line: new TestLine(device) };
}

const readings: readonly [string, number, number | null, Value | { status: number }][] = [
  ["a value", 0, null, 2000],
  ["an unknown value", 1, null, null],
  ["an unsupported attribute", 9, null, { status: status.unsupportedAttribute }],
  ["a write-only attribute", 3, null, { status: status.writeOnly }],
  ["a manufacturer-specific attribute with the same id", 3, maker, "mine"],
  ["a standard attribute with a manufacturer code", 0, maker, { status: status.unsupportedAttribute }],
];
for (const [what, attribute, manufacturer, expected] of readings) {
  test(`read: ${what}`, () => {
    assert.deepEqual(probe().line.read(id, attribute, { manufacturer }), expected);
  });
}

const writes: readonly [string, number, "int8" | "int16" | "uint8", number, number[]][] = [
  ["a valid value", 2, "int8", 3, [status.success]],
  ["a value beyond its bounds", 2, "int8", 6, [status.invalidValue, 2, 0]],
  ["another type", 2, "uint8", 3, [status.invalidDataType, 2, 0]],
  ["a read-only attribute", 0, "int16", 1, [status.readOnly, 0, 0]],
  ["an unsupported attribute", 9, "uint8", 1, [status.unsupportedAttribute, 9, 0]],
];
for (const [what, attribute, type, value, expected] of writes) {
  test(`write: ${what}`, () => {
    const { line } = probe();
    const [answer] = line.write(id, attribute, { type, value });
    assert.equal(answer?.header.command, zcl.foundation.writeResponse);
    assert.deepEqual([...(answer?.payload ?? [])], expected);
    if (expected.length === 1) assert.equal(line.read(id, attribute), value);
  });
}

test("changes nothing in an undivided write when one value is refused", () => {
  const { cluster, line } = probe();
  const payload = zcl.writeValues([
    { attribute: 2, type: "int8", value: 4 },
    { attribute: 0, type: "int16", value: 1 },
  ]);
  line.general(id, zcl.foundation.writeUndivided, payload);
  assert.equal(cluster.get("offset"), 0);
  assert.deepEqual(line.general(id, zcl.foundation.writeNoResponse, payload), []);
  assert.equal(cluster.get("offset"), 4);
});

const reporting = (minSeconds: number, maxSeconds: number, change: number): zcl.Reporting => ({
  type: "int16",
  minSeconds,
  maxSeconds,
  change,
});

test("reports configured attributes, and only when bound", () => {
  const { cluster, line } = probe();
  line.report(id, 0, reporting(0, 3600, 50));
  cluster.set({ measured: 2049 });
  assert.deepEqual(line.reports(), [], "the change is too small");
  cluster.set({ measured: 2050, mode: 2 });
  assert.deepEqual(line.reports(), [[id, 0, 2050]], "mode is not configured");
  line.bindings.length = 0;
  cluster.set({ measured: 3000 });
  assert.deepEqual(line.reports(), []);
});

test("holds reports back for the minimum interval, and repeats them after the maximum", () => {
  const { cluster, line } = probe();
  line.report(id, 0, reporting(10, 60, 1));
  line.clock.advance(9_999);
  cluster.set({ measured: 2100 });
  cluster.set({ measured: 2200 });
  assert.deepEqual(line.reports(), []);
  line.clock.advance(1);
  assert.deepEqual(line.reports(), [[id, 0, 2200]]);
  line.clock.advance(59_999);
  assert.deepEqual(line.reports(), []);
  line.clock.advance(1);
  assert.deepEqual(line.reports(), [[id, 0, 2200]]);
});

test("reports only changes with a maximum of 0, and nothing with 0xffff", () => {
  const { cluster, line } = probe();
  line.report(id, 0, reporting(0, 0, 1));
  line.clock.advance(86_400_000);
  cluster.set({ measured: 1 });
  assert.deepEqual(line.reports(), [[id, 0, 1]]);
  line.report(id, 0, reporting(0, 0xffff, 1));
  line.heard();
  cluster.set({ measured: 2 });
  line.clock.advance(86_400_000);
  assert.deepEqual(line.reports(), []);
});

test("reports attributes that change together in one frame", () => {
  const { cluster, line } = probe();
  line.report(id, 0, reporting(0, 3600, 1));
  line.report(id, 6, { type: "uint48", minSeconds: 0, maxSeconds: 3600, change: 1 });
  line.bindings.length = 1;
  line.heard();
  cluster.set({ measured: 1, total: 5 });
  const heard = line.heard();
  assert.equal(heard.length, 1);
  assert.deepEqual(
    zcl.readValues(heard[0]?.payload ?? new Uint8Array()).map((one) => one.attribute),
    [0, 6],
  );
});

const refused: readonly [string, number, zcl.Reporting, number][] = [
  ["an unknown attribute", 9, reporting(0, 1, 1), status.unsupportedAttribute],
  [
    "an attribute that is never reported",
    2,
    { ...reporting(0, 1, 1), type: "int8" },
    status.unreportableAttribute,
  ],
  ["another type", 0, { ...reporting(0, 1, 1), type: "uint16" }, status.invalidDataType],
  ["a minimum above the maximum", 0, reporting(10, 5, 1), status.invalidValue],
];
for (const [what, attribute, wanted, expected] of refused) {
  test(`refuses to configure reports: ${what}`, () => {
    const [answer] = probe().line.report(id, attribute, wanted);
    assert.deepEqual([...(answer?.payload ?? [])], [expected, 0, attribute, 0]);
  });
}

test("returns the configuration of reports", () => {
  const { line } = probe();
  line.report(id, 0, reporting(1, 300, 25));
  const [answer] = line.general(id, zcl.foundation.readReporting, octets([0, 1], [0, 2], [0, 1], [5, 2]));
  assert.deepEqual(
    [...(answer?.payload ?? [])],
    [status.success, 0, 0, 0, 0x29, 1, 0, 0x2c, 1, 25, 0, status.notFound, 0, 5, 0],
  );
});

test("forgets the configuration of reports when it leaves, not when it loses power", () => {
  const { cluster, line, device } = probe();
  line.report(id, 0, reporting(0, 60, 1));
  device.power(false);
  line.clock.advance(600_000);
  assert.deepEqual(line.reports(), []);
  device.power(true);
  line.clock.advance(60_000);
  assert.deepEqual(line.reports(), [[id, 0, 2000]]);
  device.left();
  device.joined(line);
  cluster.set({ measured: 1 });
  line.clock.advance(600_000);
  assert.deepEqual(line.reports(), []);
});

test("lists its attributes in parts", () => {
  const { line } = probe();
  const [first] = line.general(id, zcl.foundation.discoverAttributes, octets([0, 2], [2, 1]));
  assert.deepEqual([...(first?.payload ?? [])], [0, 0, 0, 0x29, 1, 0, 0x29]);
  const [rest] = line.general(id, zcl.foundation.discoverAttributes, octets([5, 2], [9, 1]));
  assert.deepEqual([...(rest?.payload ?? [])], [1, 5, 0, 0x30, 6, 0, 0x25]);
});

const yes = octets([1, 1]);
const no = octets([0, 1]);
/** The command that is answered, and the status of the default response. */
const answers: readonly [string, Parameters<TestLine["tell"]>, number[] | null][] = [
  ["success, when the header asks for it", [id, 0x01, { payload: yes }], [0x01, status.success]],
  [
    "success, when the header asks for none",
    [id, 0x01, { payload: yes, disablesDefaultResponse: true }],
    null,
  ],
  [
    "a failure, when the header asks for none",
    [id, 0x01, { payload: no, disablesDefaultResponse: true }],
    [0x01, status.failure],
  ],
  ["a frame that is too short", [id, 0x01], [0x01, status.malformedCommand]],
  ["an unknown command", [id, 0x09], [0x09, status.unsupportedClusterCommand]],
  [
    "a manufacturer-specific command",
    [id, 0x01, { manufacturer: 1 }],
    [0x01, status.unsupportedManufacturerClusterCommand],
  ],
  ["an unsupported cluster", [0x0006, 0x01], [0x01, status.unsupportedCluster]],
  [
    "an unknown foundation command",
    [id, 0x0e, { isClusterSpecific: false }],
    [0x0e, status.unsupportedGeneralCommand],
  ],
  ["none to a broadcast", [id, 0x09, { isBroadcast: true }], null],
  ["none to a default response", [0x0006, 0x0b, { isClusterSpecific: false, payload: no }], null],
  ["none from a missing endpoint", [id, 0x01, { endpoint: 7, payload: yes }], null],
  ["none to another group", [id, 0x01, { group: 7, payload: yes }], null],
  ["none to a command without an answer", [id, 0x03], null],
];
for (const [what, told, expected] of answers) {
  test(`default response: ${what}`, () => {
    const [answer] = probe().line.tell(...told);
    assert.equal(answer?.header.command, expected === null ? undefined : zcl.foundation.defaultResponse);
    assert.deepEqual(answer === undefined ? null : [...answer.payload], expected);
  });
}

test("answers with the same transaction, from the other side", () => {
  const [answer] = probe().line.tell(id, 0x02, { transaction: 0x5a });
  const { transaction, command, isFromServer, isClusterSpecific } = answer?.header ?? {};
  assert.deepEqual(
    { transaction, command, isFromServer, isClusterSpecific },
    { transaction: 0x5a, command: 0x12, isFromServer: true, isClusterSpecific: true },
  );
  assert.deepEqual([...(answer?.payload ?? [])], [7]);
});

test("is silent without power", () => {
  const { line, device } = probe();
  device.power(false);
  assert.deepEqual(line.tell(id, 0x02), []);
});

test("does not take an error of the simulation for one of a frame", () => {
  const { cluster } = probe();
  assert.throws(() => cluster.get("nothing" as Name), /has no nothing/);
  assert.ok(!(new Error("x") instanceof Truncated));
});

for (const [what, command, payload, answer] of [
  ["all fields", 0x04, [1, 0], status.success],
  ["all fields and the optional ones", 0x04, [1, 0, 1, 1], status.success],
  ["a field cut short", 0x04, [1], status.malformedCommand],
  ["half of the optional fields", 0x04, [1, 0, 1], status.malformedCommand],
  ["an octet too many", 0x04, [1, 0, 1, 1, 1], status.malformedCommand],
  ["an empty octet string", 0x05, [0], status.success],
  ["an octet string that is longer than the frame", 0x05, [2, 1], status.malformedCommand],
] as const)
  test(`answers a command with ${what} with status ${answer}`, () => {
    const { line } = probe();
    const [heard] = line.tell(id, command, { payload: Uint8Array.from(payload) });
    assert.deepEqual([...(heard?.payload ?? [])], [command, answer]);
  });
