import assert from "node:assert/strict";
import { test } from "node:test";
import { houseTypes } from "./hub.ts";
import { filledIn, languages } from "./language.ts";
import { alarmTextId, isText, textOf } from "./texts.ts";

test("every house type has a name of its own in every language", () => {
  for (const language of languages) {
    const names = houseTypes.map((code) => textOf(`housetype.${code}`, language));
    assert.equal(new Set(names).size, houseTypes.length, language);
    for (const code of houseTypes) assert.ok(isText(`housetype.${code}`));
  }
});

test("parameters are put in as they are, and English stands in for other languages", () => {
  const said = (language: string, name: string): string => textOf("SCENE_INCOMPLETE", language, { name });
  assert.equal(said("en", "$& {name}"), "Scene $& {name}: a device did not follow");
  assert.equal(said("fr", "x"), said("en", "x"));
  assert.notEqual(said("sv", "x"), said("en", "x"));
  assert.equal(textOf("SCENE_INCOMPLETE", "en"), "Scene {name}: a device did not follow");
});

test("a text that is not there is its id", () => {
  for (const id of ["NO_SUCH", "__proto__", "toString"]) {
    assert.equal(isText(id), false);
    assert.equal(textOf(id, "en"), id);
  }
});

test("an alarm is told in a message as it stands in the list of alarms, without markup", () => {
  const id = alarmTextId("DEVICE_UNREACHABLE");
  assert.ok(isText(id));
  assert.match(
    textOf(id, "en", { name: "Lamp <1>" }),
    /^A device does not answer: Lamp <1> cannot be reached/,
  );
  assert.match(textOf(id, "de", { name: "L" }), /^Ein Gerät antwortet nicht: L /);
  assert.ok(!isText("alarm.NOTHING"));
  assert.equal(textOf("alarm.NOTHING", "en"), "alarm.NOTHING");
});

test("a value of a text begins no line of its own and commands no terminal", () => {
  assert.equal(
    filledIn("{who} named it {name}.", (part) => (part === "who" ? "A\n1-0" : "\u001b[2J\u2028{who}")),
    "A 1-0 named it  [2J {who}.",
  );
});
