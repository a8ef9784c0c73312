import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Ieee } from "../../air.ts";
import { devices } from "../catalogue.ts";
import { TestLine } from "../test-line.ts";
import { ByteReader, write } from "./bytes.ts";
import * as zcl from "./foundation.ts";
import type { Header } from "./frame.ts";
import { readFrame, writeFrame } from "./frame.ts";
import { status } from "./status.ts";
import type { DataType, Typed, Value } from "./types.ts";
import { dataTypes, isAnalog, readTyped, writeTyped } from "./types.ts";

const octet = fc.integer({ min: 0, max: 0xff });
const id = fc.integer({ min: 0, max: 0xffff });
const bytes = (most: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength: most });

function width(type: string): number {
  return Number(/\d+/.exec(type)?.[0] ?? 8);
}

/** Values of a type, including its invalid one. */
function values(type: DataType): fc.Arbitrary<Value> {
  if (type === "none") return fc.constant(null);
  if (type === "bool") return fc.option(fc.boolean());
  if (type === "single") return fc.option(fc.float({ noNaN: true }));
  if (type === "double") return fc.option(fc.double({ noNaN: true }));
  if (type === "text" || type === "longText")
    return fc.option(fc.string({ unit: "grapheme", maxLength: 12 }));
  if (type === "octets" || type === "longOctets") return fc.option(bytes(40));
  if (type === "ieee")
    return bytes(8).map((some) => `0x${Buffer.concat([some, Buffer.alloc(8)]).toString("hex", 0, 8)}`);
  if (type === "key") return fc.uint8Array({ minLength: 16, maxLength: 16 });
  if (type === "struct") return fc.option(fc.array(flat, { maxLength: 4 }));
  if (type === "array" || type === "set" || type === "bag") return fc.option(sequences);
  if (type === "timeOfDay" || type === "date" || type === "utc" || type === "bacnet")
    return numbers(32, true);
  if (type === "cluster" || type === "attribute") return numbers(16, true);
  const bits = width(type);
  if (bits > 48) return fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n });
  if (type.startsWith("int"))
    return fc.option(
      fc.integer({ min: 1 - 2 ** (Math.min(bits, 32) - 1), max: 2 ** (Math.min(bits, 32) - 1) - 1 }),
    );
  return numbers(bits, !type.startsWith("map") && !type.startsWith("data"));
}

function numbers(bits: number, hasInvalid: boolean): fc.Arbitrary<Value> {
  const all = fc.maxSafeNat().map((number) => number % (2 ** bits - 1));
  return hasInvalid ? fc.option(all) : all;
}

const plain = dataTypes.filter((type) => !["struct", "array", "set", "bag"].includes(type));
const flat: fc.Arbitrary<Typed> = fc
  .constantFrom(...plain)
  .chain((type) => values(type).map((value) => ({ type, value })));
const sequences: fc.Arbitrary<Typed[]> = fc.constantFrom(...plain).chain((type) =>
  fc.array(
    values(type).map((value) => ({ type, value })),
    { minLength: 1, maxLength: 4 },
  ),
);

for (const type of dataTypes) {
  test(`${type}: reads back what was written, and nothing is left`, () => {
    fc.assert(
      fc.property(values(type), (value) => {
        const to = write();
        writeTyped(to, { type, value });
        const from = new ByteReader(to.done());
        assert.deepEqual(readTyped(from), { type, value });
        assert.equal(from.remaining, 0);
      }),
    );
  });
}

/** Generates plain objects, like literals. */
function record<T>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const header: fc.Arbitrary<Header> = record({
  isClusterSpecific: fc.boolean(),
  manufacturer: fc.option(id),
  isFromServer: fc.boolean(),
  disablesDefaultResponse: fc.boolean(),
  transaction: octet,
  command: octet,
});

test("reads a frame back as written", () => {
  fc.assert(
    fc.property(header, bytes(60), (one, payload) => {
      assert.deepEqual(readFrame(writeFrame(one, payload)), { header: one, payload });
    }),
  );
});

test("reads records of values, reads and reporting back as written", () => {
  const written = record({ attribute: id, typed: flat });
  const reporting = fc.constantFrom(...plain).chain((type) =>
    record({
      type: fc.constant(type),
      minSeconds: id,
      maxSeconds: id,
      change: isAnalog(type) ? values(type) : fc.constant(null),
    }),
  );
  fc.assert(
    fc.property(
      fc.array(written, { maxLength: 5 }),
      fc.array(reporting, { maxLength: 5 }),
      (records, wanted) => {
        const flatRecords = records.map(({ attribute, typed }) => ({ attribute, ...typed }));
        assert.deepEqual(zcl.readValues(zcl.writeValues(flatRecords)), flatRecords);
        const read = records.map(({ attribute, typed }) => ({ attribute, status: status.success, typed }));
        assert.deepEqual(zcl.readReadRecords(zcl.writeReadRecords(read)), read);
        const requests = wanted.map((one, at) => ({ attribute: at, isReceived: false, reporting: one }));
        assert.deepEqual(zcl.readReportingRequests(zcl.writeReportingRequests(requests)), requests);
      },
    ),
  );
});

/** Headers of existing commands, more often than by chance. */
const known = fc.oneof(
  header,
  header.map((one) => ({ ...one, manufacturer: null, command: one.command % 0x10 })),
);

test("no device of the catalogue throws or falls silent at random octets", () => {
  const ieee: Ieee = "0x0017880100000001";
  for (const make of Object.values(devices)) {
    const device = make(ieee);
    const line = new TestLine(device);
    const places = device.endpoints.flatMap(({ id: endpoint, clusters }) =>
      [...clusters.map((one) => one.id), 0x1234].map((cluster) => ({ endpoint, cluster })),
    );
    const deliver = (place: { endpoint: number; cluster: number }, payload: Uint8Array): void =>
      device.received({
        ...place,
        peerEndpoint: 1,
        profile: 0x0104,
        group: null,
        isBroadcast: false,
        payload,
      });
    fc.assert(
      fc.property(fc.constantFrom(...places), known, bytes(24), bytes(4), (place, one, payload, noise) => {
        const whole = writeFrame(one, payload);
        deliver(place, whole);
        for (let length = 0; length < whole.length; length++) deliver(place, whole.subarray(0, length));
        deliver(place, noise);
        line.clock.advance(1000);
      }),
      { numRuns: 100 },
    );
    line.heard();
    const model = line.read(0x0000, 0x0005, { endpoint: device.endpoints[0]?.id ?? 1 });
    assert.equal(typeof model, "string", "it still answers");
  }
});
