import assert from "node:assert/strict";
import { test } from "node:test";
import { houseTypes } from "./hub.ts";
import { filledIn, languages } from "./language.ts";
import { alarmTextId, isText, textOf } from "./texts.ts";

test("every house type has its own name in every language", () => {
  for (const language of languages) {
    const names = houseTypes.map((code) => textOf(`housetype.${code}`, language));
    assert.equal(new Set(names).size, houseTypes.length, language);
    for (const code of houseTypes) assert.ok(isText(`housetype.${code}`));
  }
});

test("textOf fills in parameters as they are, and falls back to English", () => {
  const said = (language: string, name: string): string => textOf("SCENE_INCOMPLETE", language, { name });
  assert.equal(said("en", "$& {name}"), "Scene $& {name}: a device did not follow");
  assert.equal(said("fr", "x"), said("en", "x"));
  assert.notEqual(said("sv", "x"), said("en", "x"));
  assert.equal(textOf("SCENE_INCOMPLETE", "en"), "Scene {name}: a device did not follow");
});

test("textOf returns the id of an unknown text", () => {
  for (const id of ["NO_SUCH", "__proto__", "toString"]) {
    assert.equal(isText(id), false);
    assert.equal(textOf(id, "en"), id);
  }
});

test("an alarm's text in a message is that of the alarm, without markup", () => {
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

test("filledIn removes line breaks and terminal controls from values", () => {
  assert.equal(
    filledIn("{who} named it {name}.", (part) => (part === "who" ? "A\n1-0" : "\u001b[2J\u2028{who}")),
    "A 1-0 named it  [2J {who}.",
  );
});
