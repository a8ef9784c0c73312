import assert from "node:assert/strict";
import { test } from "node:test";
import { changedText, shownText } from "./attribute-texts.ts";

test("names what devices report in words of the reader, with units", () => {
  assert.equal(changedText("Porch", "rssi", -71, "en"), "Porch: now signal -71 dBm");
  assert.equal(shownText("heatingDemand", 0.425, "de"), "Heizbedarf 42.5 %");
  assert.equal(shownText("batteryV", 2.91, "fi"), "pariston jännite 2.91 V");
});

test("names an attribute without words by its name", () => {
  assert.equal(shownText("fn_fireplace", 2, "sv"), "fn_fireplace 2");
});
