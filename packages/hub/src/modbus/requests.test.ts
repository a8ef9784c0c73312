import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { identificationOf } from "./answers.ts";
import { longestMessage, takeRequests, toAnswer } from "./frames.ts";
import { readRequest } from "./requests.ts";

const bytes = (...values: number[]): Buffer => Buffer.from(values);

for (const [what, pdu, refusal] of [
  ["an unknown function", bytes(7), 1],
  ["a function of serial lines", bytes(8, 0, 0, 0, 0), 1],
  ["an empty request", bytes(), 1],
  ["a read without its count", bytes(3, 0, 0, 0), 3],
  ["a read with more", bytes(3, 0, 0, 0, 1, 0), 3],
  ["a read of nothing", bytes(3, 0, 0, 0, 0), 3],
  ["126 registers", bytes(3, 0, 0, 0, 126), 3],
  ["2001 coils", bytes(1, 0, 0, 0x07, 0xd1), 3],
  ["registers beyond the last", bytes(4, 0xff, 0xff, 0, 2), 2],
  ["a coil that is half on", bytes(5, 0, 0, 0x12, 0), 3],
  ["several registers with one byte too few", bytes(16, 0, 0, 0, 1, 2, 7), 3],
  ["several registers with a wrong number of bytes", bytes(16, 0, 0, 0, 2, 2, 0, 1), 3],
  ["several registers, none", bytes(16, 0, 0, 0, 0, 0), 3],
  ["several coils, cut", bytes(15, 0, 0, 0, 9, 2, 1), 3],
  ["124 registers to write", Buffer.concat([bytes(16, 0, 0, 0, 124, 248), Buffer.alloc(248)]), 3],
  ["registers to write beyond the last", bytes(16, 0xff, 0xff, 0, 2, 4, 0, 0, 0, 0), 2],
  ["a mask that is cut", bytes(22, 0, 0, 0, 0, 0), 3],
  ["a read and write without values", bytes(23, 0, 0, 0, 1, 0, 0, 0, 1), 3],
  ["another interface", bytes(43, 13, 0, 0), 1],
  ["an identification of an unknown level", bytes(43, 14, 5, 0), 3],
] as const) {
  test(`refuses ${what} with exception ${refusal}`, () => {
    assert.equal(readRequest(pdu), refusal);
  });
}

test("reads requests of every function", () => {
  assert.deepEqual(readRequest(bytes(1, 0, 5, 0x07, 0xd0)), {
    kind: "read",
    code: 1,
    table: "coil",
    register: 5,
    count: 2000,
  });
  assert.deepEqual(readRequest(bytes(4, 0xff, 0xff, 0, 1)), {
    kind: "read",
    code: 4,
    table: "input",
    register: 65_535,
    count: 1,
  });
  assert.deepEqual(readRequest(bytes(5, 0, 1, 0xff, 0)), {
    kind: "write",
    code: 5,
    table: "coil",
    register: 1,
    values: [1],
  });
  assert.deepEqual(readRequest(bytes(15, 0, 1, 0, 9, 2, 0b101, 1)), {
    kind: "write",
    code: 15,
    table: "coil",
    register: 1,
    values: [1, 0, 1, 0, 0, 0, 0, 0, 1],
  });
  assert.deepEqual(readRequest(bytes(22, 0, 4, 0, 0xf2, 0, 0x25)), {
    kind: "write",
    code: 22,
    table: "holding",
    register: 4,
    values: [0x05],
    mask: 0xff0d,
  });
  assert.deepEqual(readRequest(bytes(23, 0, 3, 0, 6, 0, 14, 0, 1, 2, 0, 0xff)), {
    kind: "write",
    code: 23,
    table: "holding",
    register: 14,
    values: [255],
    read: { register: 3, count: 6 },
  });
});

test("identifies itself by level, as a stream and one by one", () => {
  const objects = new Map([
    [0, "Ledge"],
    [1, "LEDGE"],
    [2, "1.2"],
    [6, "Villa"],
  ]);
  const ask = (level: number, object = 0) => identificationOf({ kind: "identify", level, object }, objects);
  assert.deepEqual([...(ask(4, 2) as Buffer)], [43, 14, 4, 0x82, 0, 0, 1, 2, 3, ...Buffer.from("1.2")]);
  assert.equal((ask(1) as Buffer)[6], 3);
  assert.equal((ask(2) as Buffer)[6], 4);
  assert.equal((ask(2, 99) as Buffer)[6], 4, "an unknown first object begins at the first");
  assert.equal((ask(2, 2) as Buffer)[6], 2);
  assert.equal(ask(4, 9), 2);
});

test("finds requests however they are cut, and ends at what is no Modbus", () => {
  const pdu = fc.uint8Array({ minLength: 1, maxLength: 253 });
  const sent = fc.record({ transaction: fc.nat(0xffff), unit: fc.nat(255), pdu });
  fc.assert(
    fc.property(
      fc.array(sent, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 300 }),
      (all, size) => {
        const stream = Buffer.concat(all.map((each) => toAnswer(each, each.pdu)));
        const found: unknown[] = [];
        let received: Buffer = Buffer.alloc(0);
        for (let at = 0; at < stream.length; at += size) {
          const { requests, rest } = takeRequests(Buffer.concat([received, stream.subarray(at, at + size)]));
          found.push(...requests.map((each) => ({ ...each, pdu: new Uint8Array(each.pdu) })));
          assert.ok(rest !== undefined && rest.length < longestMessage);
          received = rest;
        }
        assert.deepEqual(
          found,
          all.map((each) => ({ ...each, pdu: new Uint8Array(each.pdu) })),
        );
      },
    ),
  );
  for (const [wrong, at] of [
    [1, 2],
    [0xff, 4],
    [0, 5],
    [1, 5],
  ] as const) {
    const message = toAnswer({ transaction: 1, unit: 1 }, bytes(3, 0, 0, 0, 1));
    message[at] = wrong;
    assert.equal(takeRequests(message).rest, undefined, `${wrong} at ${at}`);
  }
});

test("no bytes make it throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (garbage) => {
      const read = readRequest(Buffer.from(garbage));
      if (typeof read === "number") assert.ok(read >= 1 && read <= 3);
      takeRequests(Buffer.from(garbage));
    }),
    { numRuns: 500 },
  );
});
