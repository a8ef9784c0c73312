import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFailures, failureOf } from "./failures.ts";

describe("a command that failed", () => {
  test("is said at its attribute, until the device shows something else", () => {
    const failures = createFailures();
    failures.note("lamp", "brightness", { message: "no answer", shown: 0.5 });
    const now = failures.of("lamp").value;
    assert.equal(failureOf(now, { isOn: true, brightness: 0.5 }, "brightness"), "no answer");
    assert.equal(failureOf(now, { isOn: true, brightness: 0.5 }, "isOn"), "");
    assert.equal(failureOf(now, { isOn: true, brightness: 0.8 }, "brightness"), "");
    assert.equal(failureOf(failures.of("other").value, { brightness: 0.5 }, "brightness"), "");
    assert.equal(failureOf(now, {}, "constructor"), "");
  });

  test("is forgotten when the device is told anew, and that of another attribute is not", () => {
    const failures = createFailures();
    failures.note("lamp", "brightness", { message: "no answer", shown: 0.5 });
    failures.note("lamp", "hue", { message: "refused", shown: null });
    failures.forget("lamp", ["brightness", "isOn"]);
    assert.deepEqual(failures.of("lamp").value, { hue: { message: "refused", shown: null } });
    const before = failures.of("lamp").value;
    failures.forget("lamp", ["isOn"]);
    failures.forget("nowhere", ["isOn"]);
    assert.equal(failures.of("lamp").value, before);
    failures.clear();
    assert.deepEqual(failures.of("lamp").value, {});
  });
});
