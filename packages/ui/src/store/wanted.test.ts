import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createWanted } from "./wanted.ts";

describe("what a device was told", () => {
  test("is shown until the device reports it", () => {
    const wanted = createWanted();
    wanted.want("lamp", { isOn: true, brightness: 0.65 });
    wanted.reported("lamp", { isOn: true, brightness: 0.2 });
    assert.deepEqual(wanted.of("lamp").value, { brightness: 0.65 });
    assert.equal(wanted.awaits(), true);
    wanted.reported("lamp", { isOn: true, brightness: 0.6496 });
    assert.deepEqual(wanted.of("lamp").value, {});
    assert.equal(wanted.awaits(), false);
  });

  test("is dropped by its mark, but not what the device was told since", () => {
    const wanted = createWanted();
    const first = wanted.want("lamp", { isOn: true, brightness: 1 });
    const second = wanted.want("lamp", { isOn: false });
    assert.deepEqual(wanted.drop("lamp", first), ["brightness"]);
    assert.deepEqual(wanted.of("lamp").value, { isOn: false });
    assert.deepEqual(wanted.drop("lamp", second), ["isOn"]);
    assert.deepEqual(wanted.drop("lamp", second), []);
  });

  test("leaves other devices alone, and unknown ones have nothing", () => {
    const wanted = createWanted();
    wanted.want("lamp", { isOn: true });
    wanted.reported("other", { isOn: true });
    assert.deepEqual([wanted.of("lamp").value, wanted.of("other").value], [{ isOn: true }, {}]);
    assert.deepEqual(wanted.drop("other", 1), []);
  });

  test("compares parts of a value that is an object", () => {
    const wanted = createWanted();
    wanted.want("speaker", { rcData: { volume: 30 } });
    wanted.reported("speaker", { rcData: { volume: 20, mute: false } });
    assert.notDeepEqual(wanted.of("speaker").value, {});
    wanted.reported("speaker", { rcData: { volume: 30, mute: false } });
    assert.deepEqual(wanted.of("speaker").value, {});
  });
});
