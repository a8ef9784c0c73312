import assert from "node:assert/strict";
import { test } from "node:test";
import { causeOf, isOfNow } from "./cause.ts";

const link = (at: number, text: string) => ({ at, text, ref: "", type: "", origin: "", object: null });

test("says since when and by what: the cause of the last change, or the change itself without a known one", () => {
  const links = [link(5, "Lamp went on"), link(4, "the rule Hall told Lamp: on"), link(3, "Hall saw motion")];
  assert.deepEqual(causeOf({ links }), { at: 5, text: "the rule Hall told Lamp: on" });
  assert.deepEqual(causeOf({ links: links.slice(2) }), { at: 3, text: "Hall saw motion" });
  assert.equal(causeOf({ links: [] }), undefined);
});

test("knows when a device has changed since the question", () => {
  const answer = { attribute: "colour", value: { hue: 1 } };
  assert.equal(isOfNow(answer, { colour: { hue: 1 }, isOn: true }), true);
  assert.equal(isOfNow(answer, { colour: { hue: 2 } }), false);
  assert.equal(isOfNow(answer, {}), false);
  assert.equal(isOfNow({ attribute: null, value: null }, { isOn: true }), false);
});
