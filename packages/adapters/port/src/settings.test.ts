import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { AdapterError } from "./adapter.ts";
import { checkedSetting, isSerialPath, misfitOf, refuseDuplicates, refuseSetting } from "./settings.ts";

const strict = { additionalProperties: false } as const;
const Port = Type.Object({ path: Type.String(), kind: Type.Enum(["tcp", "rtu"]) }, strict);
const validator = Compile(Type.Object({ ports: Type.Array(Port) }, strict));
const port = { path: "/dev/x", kind: "rtu" };

const misfits: readonly (readonly [value: unknown, steps: readonly string[], reason?: string])[] = [
  [null, []],
  [7, []],
  [{}, ["ports"], "is missing"],
  [{ ports: [], extra: 7 }, ["extra"], "is unknown"],
  [{ ports: {} }, ["ports"]],
  [{ ports: [port, { ...port, path: 7 }] }, ["ports", "1", "path"]],
  [{ ports: [{ kind: "rtu" }] }, ["ports", "0", "path"], "is missing"],
  [{ ports: [{ ...port, kind: "guess" }] }, ["ports", "0", "kind"], "must be one of tcp, rtu"],
];
for (const [value, steps, reason] of misfits)
  test(`finds what is wrong with ${JSON.stringify(value)}`, () => {
    const misfit = misfitOf(validator, value);
    assert.deepEqual(misfit.steps, steps);
    if (reason === undefined) assert.ok(misfit.reason.length > 0);
    else assert.equal(misfit.reason, reason);
  });

test("names the whole when no field is refused", () => {
  for (const [path, message] of [
    ["", "settings: is wrong"],
    ["radio.path", "radio.path: is wrong"],
  ] as const)
    assert.throws(
      () => refuseSetting(path, "is wrong"),
      (error) => error instanceof AdapterError && error.code === "settings" && error.message === message,
    );
});

const refusals: readonly (readonly [value: unknown, path: string, start: string])[] = [
  [{ path: "/dev/x", kind: "guess" }, "", "kind: must be one of tcp, rtu"],
  [{ path: "/dev/x", kind: "guess" }, "ports[2]", "ports[2].kind: must be one of tcp, rtu"],
  [{ kind: "rtu" }, "ports[2]", "ports[2].path: is missing"],
  [{ ...port, extra: 1 }, "ports[2]", "ports[2].extra: is unknown"],
  [7, "ports[2]", "ports[2]: "],
  [7, "", "settings: "],
];
for (const [value, path, start] of refusals)
  test(`refuses ${JSON.stringify(value)} at "${path}" and says where`, () => {
    // A schema that was checked before still refuses.
    assert.equal(checkedSetting(Port, port, path), port);
    assert.throws(
      () => checkedSetting(Port, value, path),
      (error) =>
        error instanceof AdapterError && error.code === "settings" && error.message.startsWith(start),
    );
  });

test("names the place inside a list", () => {
  assert.throws(() => checkedSetting(Type.Array(Port), [port, { ...port, path: 7 }], "ports"), {
    message: /^ports\[1\]\.path: /,
  });
});

test("refuses the second of two equal keys", () => {
  refuseDuplicates(["a", "b", "c"], "ports", "name");
  assert.throws(() => refuseDuplicates(["a", "b", "c", "b", "a"], "ports", "name"), {
    code: "settings",
    message: 'ports[3].name: "b" is already in use',
  });
});

test("tells paths of serial ports and bare addresses from anything else", () => {
  for (const path of ["/dev/serial/by-id/x", "tcp://10.0.0.7:6638", "tcp://host:1/", "tcp://[::1]:1"])
    assert.ok(isSerialPath(path, ["tcp"]), path);
  for (const path of [
    "",
    "stick",
    "/dev/\0",
    "tcp://",
    "tcp://host",
    "tcp://host:0",
    "tcp://host:65536",
    "tcp://user@host:1",
    "tcp://host:1/x",
    "tcp://host:1?x",
    "esphome://host:1",
    "http://host:1",
  ])
    assert.ok(!isSerialPath(path, ["tcp"]), path);
});
