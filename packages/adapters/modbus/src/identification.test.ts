import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exceptionFault, Fault } from "./fault.ts";
import { readIdentification } from "./identification.ts";
import type { IdentifyRequest } from "./request.ts";
import { takeAnswers, withCrc } from "./rtu-frames.ts";

const text = (id: number, word: string): number[] => [id, word.length, ...Buffer.from(word, "latin1")];
const last = (count: number, ...objects: number[][]): number[] => [1, 0x81, 0, 0, count, ...objects.flat()];

test("reads the texts of several answers, and says which are maker, model and revision", async () => {
  const asked: IdentifyRequest[] = [];
  const identification = await readIdentification(async (request) => {
    asked.push(request);
    if (request.object === 0) return [2, 0x82, 0xff, 2, 4, ...text(0, "Eastron"), ...text(1, "SDM")];
    return last(4, text(2, "1.08"), text(5, " SDM630\u0000\u0000"));
  });
  assert.deepEqual(
    asked.map(({ level, object }) => [level, object]),
    [
      [2, 0],
      [2, 2],
    ],
  );
  assert.deepEqual(identification, {
    manufacturer: "Eastron",
    model: "SDM630",
    revision: "1.08",
    objects: { 0: "Eastron", 1: "SDM", 2: "1.08", 5: "SDM630" },
  });
});

test("asks a device without regular objects for the basic ones", async () => {
  const { model } = await readIdentification(async ({ level }) => {
    if (level === 2) throw exceptionFault(3);
    return last(2, text(0, ""), text(1, "EM24"));
  });
  assert.equal(model, "EM24");
  await assert.rejects(
    readIdentification(() => Promise.reject(exceptionFault(1))),
    { exception: 1 },
  );
  await assert.rejects(
    readIdentification(() => Promise.reject(new Fault("timeout", "no"))),
    { kind: "timeout" },
  );
});

test("ends with a device that never ends or goes back", async () => {
  for (const [next, most] of [
    [0, 1],
    [1, 2],
    [-1, 16],
  ] as const) {
    let asked = 0;
    await readIdentification(async ({ object }) => {
      asked += 1;
      return [1, 1, 0xff, next === -1 ? object + 1 : next, 1, ...text(object, "x")];
    });
    assert.equal(asked, most, `next ${next}`);
  }
});

test("refuses texts that are cut off, and takes any other bytes", async () => {
  await assert.rejects(
    readIdentification(async () => [1, 1, 0, 0, 1, 0, 5, 65]),
    { kind: "garbled" },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 250 }), async (bytes) => {
      try {
        const { objects } = await readIdentification(async () => bytes);
        for (const word of Object.values(objects)) assert.match(word, /^[ -~]{0,100}$/);
      } catch (error) {
        assert.ok(error instanceof Fault);
      }
    }),
  );
});

test("finds the end of a frame also when a device counts the objects of all its answers", () => {
  const frame = withCrc(Buffer.from([7, 0x2b, 0x0e, ...last(9, text(0, "Maker"), text(1, "Code"))]));
  for (let cut = 1; cut < frame.length; cut++)
    assert.deepEqual(takeAnswers(frame.subarray(0, cut)).answers, [], `cut at ${cut}`);
  assert.deepEqual(takeAnswers(Buffer.concat([frame, frame])).answers, [frame, frame]);
});
