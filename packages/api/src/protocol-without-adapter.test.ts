import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutAdapter } from "./protocol-without-adapter.ts";
import { Refused } from "./refused.ts";

const inclusion = { type: "ZWAVE_INCLUSION_STATUS", status: "NO_ZWAVE", nodeId: null };
const exclusion = { ...inclusion, type: "ZWAVE_EXCLUSION_STATUS" };
const nobodyKnows = { status: 0xff, reason: "this hub has no Z-Wave radio" };

/** Every protocol command of wire-facts 2.1 and hub-api 2.10, and what a hub without adapters answers to it. */
const commands: readonly (readonly [command: { readonly type: string }, answer: unknown])[] = [
  [{ type: "ZWAVE_START_INCLUSION" }, inclusion],
  [{ type: "GET_ZWAVE_INCLUSION_STATUS" }, inclusion],
  [{ type: "ZWAVE_CANCEL_INCLUSION" }, inclusion],
  [{ type: "ZWAVE_START_EXCLUSION" }, exclusion],
  [{ type: "GET_ZWAVE_EXCLUSION_STATUS" }, exclusion],
  [{ type: "ZWAVE_CANCEL_EXCLUSION" }, exclusion],
  [{ type: "ZWAVE_HEAL" }, inclusion],
  [
    { type: "GET_ZWAVE_LEAVING_STATUS" },
    { type: "ZWAVE_LEAVING_STATUS", status: "NO_ZWAVE", network: null, isMember: null },
  ],
  [{ type: "ZWAVE_GET_NODES" }, []],
  ...nodes("ZWAVE_CHECK_FAILED", { isFailed: false }),
  ...nodes("ZWAVE_REMOVE_FAILED", {}),
  ...nodes("ZWAVE_UI_GET_CONFIGURATION", { parameter: null, size: 0, value: null }),
  ...nodes("ZWAVE_UI_SET_CONFIGURATION", { parameter: null, size: 0, value: null }),
  [{ type: "GET_MODBUS_PAIRINGS" }, []],
  [{ type: "GET_MODBUS_MODELS" }, { type: "MODBUS_MODELS", models: [], problems: [] }],
  [{ type: "GET_MODBUS_STATISTICS" }, []],
  [{ type: "PAIR_MODBUS" }, { type: "PAIR_MODBUS", message: "this hub has no Modbus adapter" }],
  [{ type: "GET_MODBUS_TCP_MAPPINGS" }, []],
  [
    { type: "SET_MODBUS_TCP_MAPPINGS" },
    { type: "SET_MODBUS_TCP_MAPPINGS", message: "this hub has no Modbus TCP server" },
  ],
];

/** A command about a node, whose number may be a text, may be wrong, or may be absent. */
function nodes(type: string, fields: object): [{ type: string; nodeId?: unknown }, object][] {
  const numbers: [unknown, number | null][] = [
    [7, 7],
    ["7", 7],
    ["", null],
    ["seven", null],
    [{}, null],
    [null, null],
  ];
  return [
    [{ type }, { type, nodeId: null, ...fields, ...nobodyKnows }],
    ...numbers.map(([nodeId, shown]): [{ type: string; nodeId?: unknown }, object] => [
      { type, nodeId },
      { type, nodeId: shown, ...fields, ...nobodyKnows },
    ]),
  ];
}

for (const [command, answer] of commands) {
  test(`answers ${JSON.stringify(command)} with its empty form`, () => {
    assert.deepEqual(withoutAdapter([command]), answer);
  });
}

test("answers several commands of a type like one, and refuses no command or an unknown type", () => {
  const pair = { type: "PAIR_MODBUS" };
  assert.deepEqual(withoutAdapter([pair, pair]), withoutAdapter([pair]));
  for (const list of [[], [{ type: "PAIR_ANYTHING" }], [{ type: "constructor" }], [{ type: "__proto__" }]]) {
    const refused = withoutAdapter(list);
    assert.ok(refused instanceof Refused);
    assert.equal(refused.status, 422);
  }
});
