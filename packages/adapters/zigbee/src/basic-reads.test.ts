import assert from "node:assert/strict";
import { test } from "node:test";
import { readOf, withoutRefused } from "./basic-reads.ts";

const head = [0x18, 0x07, 0x01];
const model = [0x05, 0x00, 0x00, 0x42, 0x02, 0x41, 0x42];
const source = [0x07, 0x00, 0x00, 0x30, 0x03];
const version = [0x00, 0x00, 0x00, 0x20, 0x08];
const noBuild = [0x00, 0x40, 0x00, 0x42, 0xff];
const refusedModel = [0x05, 0x00, 0x86];
const refusedVersion = [0x01, 0x00, 0x86];

const cleaned = (wanted: number, ...records: readonly (readonly number[])[]): number[][] | undefined => {
  const answer = withoutRefused(Buffer.from([head, ...records].flat()), head.length, wanted);
  return answer && [[...answer.subarray(0, head.length)], [...answer.subarray(head.length)]];
};

test("every attribute of an interview is in one read", () => {
  for (const attribute of [0, 1, 2, 3, 4, 5, 6, 7, 0x4000]) assert.ok(readOf(attribute)?.includes(attribute));
  assert.equal(readOf(0x0010), undefined);
});

for (const [title, wanted, records, kept] of [
  ["all that a device answers", 5, [model, source, version, noBuild], [model, source, version, noBuild]],
  ["nothing that it refuses", 5, [model, refusedVersion, source], [model, source]],
  ["the refusal of what was wanted", 5, [refusedModel, refusedVersion, source], [refusedModel, source]],
  ["no record of an empty answer", 5, [], []],
] as const)
  test(`an answer keeps ${title}`, () => {
    assert.deepEqual(cleaned(wanted, ...records), [head, kept.flat()]);
  });

for (const [title, ...records] of [
  ["a value of an unknown type", model, [0x01, 0x00, 0x00, 0x21, 0x08, 0x00]],
  ["half of a record", model, [0x01, 0x00]],
  ["a status without a type", [0x05, 0x00, 0x00]],
  ["a text that is longer than the answer", [0x05, 0x00, 0x00, 0x42, 0x09, 0x41]],
  ["a number without its octet", [0x07, 0x00, 0x00, 0x30]],
] as const)
  test(`an answer with ${title} is none`, () => {
    assert.equal(cleaned(5, ...records), undefined);
  });
