import assert from "node:assert/strict";
import test from "node:test";
import type { AttributeValues } from "@ledge/exposes";
import { attributesOf } from "./attributes.ts";
import { models } from "./test-models.ts";
import { nodeFacts } from "./test-node.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

const remote = unitsOf(models.ikeaRemote)[0] as Unit;
function labels({ extras = {} }: Unit): unknown {
  const buttons = extras["buttons"] as readonly { readonly id: number; readonly label: string }[];
  return buttons.map(({ id, label }) => `${id} ${label}`);
}

function pressed(
  cluster: string,
  type: string,
  data: unknown,
  before: AttributeValues = {},
  unit = remote,
): unknown {
  const { button, modifiers } = attributesOf(unit, { endpoint: 1, cluster, type, data }, before);
  return button === undefined ? undefined : [button, ...(modifiers as readonly string[])];
}

const rows = [
  ["genOnOff", "commandOn", {}, [1]],
  ["genOnOff", "commandOff", {}, [4]],
  ["genOnOff", "commandToggle", {}, [5, "toggle"]],
  ["genLevelCtrl", "commandStepWithOnOff", { stepmode: 0, stepsize: 43 }, [2]],
  ["genLevelCtrl", "commandStep", { stepmode: 1, stepsize: 43 }, [3]],
  ["genLevelCtrl", "commandMoveWithOnOff", { movemode: 0, rate: 83 }, [2, "longpress"]],
  ["genLevelCtrl", "commandMove", { movemode: 1, rate: 83 }, [3, "longpress"]],
  ["genLevelCtrl", "commandMoveToLevelWithOnOff", { level: 254 }, [1, "full_on"]],
  ["genLevelCtrl", "commandMoveToLevelWithOnOff", { level: 1 }, [4]],
  ["genLevelCtrl", "commandMoveToLevelWithOnOff", { level: 100 }, [1]],
  ["lightingColorCtrl", "commandStepColorTemp", { stepmode: 1 }, [8]],
  ["lightingColorCtrl", "commandMoveColorTemp", { movemode: 3 }, [9, "longpress"]],
  ["lightingColorCtrl", "commandMoveHue", { movemode: 1 }, [13, "longpress"]],
  ["genScenes", "commandRecall", { groupid: 1, sceneid: 3 }, [23]],
  ["closuresWindowCovering", "commandUpOpen", {}, [10]],
  ["ssIasAce", "commandArm", { armmode: 3 }, [17]],
  ["ssIasAce", "commandPanic", {}, [18]],
  ["genLevelCtrl", "commandMove", {}, undefined],
  ["genLevelCtrl", "commandMove", { movemode: "up" }, undefined],
  ["genOnOff", "commandToString", {}, undefined],
  ["genOnOff", "attributeReport", { onOff: 1 }, undefined],
] as const;

for (const [cluster, type, data, expected] of rows) {
  test(`maps ${cluster} ${type} ${JSON.stringify(data)}`, () =>
    assert.deepEqual(pressed(cluster, type, data), expected));
}

test("a release belongs to the key that was held", () => {
  const stop = (before: AttributeValues): unknown => pressed("genLevelCtrl", "commandStop", {}, before);
  assert.deepEqual(stop({ button: 3 }), [3, "longpress", "stop"]);
  assert.deepEqual(stop({ button: 2 }), [2, "longpress", "stop"]);
  assert.deepEqual(stop({ button: 1 }), [2, "longpress", "stop"]);
  assert.deepEqual(stop({}), [2, "longpress", "stop"]);
});

test("a remote has a key for everything it controls, with permanent ids", () => {
  const scenes = [1, 2, 3, 4, 5, 6].map((scene) => `${20 + scene} Scene ${scene}`);
  const keys = ["1 On", "2 Brighter", "3 Darker", "4 Off", "5 Toggle"];
  assert.deepEqual(labels(unitsOf(models.hueDimmer)[0] as Unit), [...keys, ...scenes]);
});

test("maps a remote with rows of keys", () => {
  const row = { device: 0x0000, in: [], out: [0x0006] };
  const node = nodeFacts([row, { ...row, id: 2 }], { type: "EndDevice", powerSource: "Battery" });
  const unit = unitsOf(node)[0] as Unit;
  assert.deepEqual(labels(unit), ["1 On", "4 Off", "5 Toggle", "1001 On 2", "1004 Off 2", "1005 Toggle 2"]);
  const message = { endpoint: 2, cluster: "genOnOff", type: "commandOff", data: {} };
  assert.deepEqual(attributesOf(unit, message, {}), { button: 1004, modifiers: [] });
  assert.deepEqual(attributesOf(unit, { ...message, endpoint: 9 }, {}), {});
});

test("does not treat sensors and switches with control clusters as remotes", () => {
  const sensor = unitsOf(models.hueMotion)[0] as Unit;
  const message = { endpoint: 1, cluster: "genOnOff", type: "commandOn", data: {} };
  assert.deepEqual(attributesOf(sensor, message, {}), {});
});
