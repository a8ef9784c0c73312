import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../catalogue.ts";
import { TestLine } from "../test-line.ts";

const [scenes, onOff, level] = [0x0005, 0x0006, 0x0008];
const ikea = 0x117c;

type Button = Parameters<ReturnType<typeof devices.remote>["press"]>[0];

const strokes: readonly [
  Button,
  string,
  cluster: number,
  command: number,
  number[],
  manufacturer: number | null,
][] = [
  ["toggle", "press", onOff, 0x02, [], null],
  ["up", "press", level, 0x06, [0, 43, 5, 0], null],
  ["up", "hold", level, 0x05, [0, 83], null],
  ["down", "release", level, 0x03, [], null],
  ["left", "press", scenes, 0x07, [1, 1, 13, 0], ikea],
  ["right", "hold", scenes, 0x08, [0, 13, 0], ikea],
];
for (const [button, how, cluster, command, payload, manufacturer] of strokes) {
  test(`IKEA remote: ${button}, ${how}`, () => {
    const remote = devices.remote("0x000b57fffe000001");
    const line = new TestLine(remote);
    remote.press(button, how);
    assert.deepEqual(line.heard(), [], "it has no binding");
    line.bind(cluster);
    remote.press(button, how);
    const [heard, ...more] = line.heard();
    assert.equal(more.length, 0);
    assert.deepEqual(
      [heard?.cluster, heard?.header.command, [...(heard?.payload ?? [])], heard?.header.manufacturer],
      [cluster, command, payload, manufacturer],
    );
    assert.equal(heard?.header.isFromServer, false);
  });
}

test("sends to the group that it is bound to", () => {
  const remote = devices.remote("0x000b57fffe000001");
  const line = new TestLine(remote);
  line.bind(onOff, 1, 900);
  remote.press("toggle");
  assert.deepEqual(
    line.heard().map(({ cluster, group }) => [cluster, group]),
    [[onOff, 900]],
  );
});

test("throws at a way of pressing that the button does not know", () => {
  assert.throws(
    () => devices.remote("0x000b57fffe000001").press("toggle", "lick"),
    /toggle does not know lick/,
  );
});
