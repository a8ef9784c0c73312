import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalJson, terminalLine } from "./terminal.ts";

const evil = "a\u001b[2J\u009b31m\u0007\r\nb\t\u202ec\u2066d\u061ce\u2028f\ud800g\u007f";

test("terminalLine removes terminal commands, line breaks and changes of text direction", () => {
  assert.equal(terminalLine(evil), "a�[2J�31m���b��c�d�e�f�g�");
});

test("terminalLine keeps letters, joined emoji and right-to-left scripts", () => {
  const names = "Küche 日本 👨‍👩‍👧 שלום می‌خواهم é";
  assert.equal(terminalLine(names), names);
  assert.equal(terminalJson(JSON.stringify(names)), JSON.stringify(names));
});

test("terminalJson keeps the values and lines of JSON", () => {
  const json = `${JSON.stringify({ evil }, null, 2)}\n`;
  const shown = terminalJson(json);
  assert.deepEqual(JSON.parse(shown), { evil });
  assert.equal(shown.split("\n").length, json.split("\n").length);
  assert.doesNotMatch(
    shown,
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u2028\u202a-\u202e\u2066-\u2069]/,
  );
});
