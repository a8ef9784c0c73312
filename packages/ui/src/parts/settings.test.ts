import assert from "node:assert/strict";
import { test } from "node:test";
import type { CfgItem } from "@ledge/model";
import { changesOf, type Entry, entryOf, fatesOf, valueOf } from "./settings.ts";

function item(name: string, fieldType: CfgItem["fieldType"], more: Partial<CfgItem> = {}): CfgItem {
  const bounds = { defaultValue: null, options: null, minValue: null, maxValue: null, readOnly: false };
  return { type: "CFG_ITEM", name, fieldType, description: name, help: null, ...bounds, ...more };
}

const lock = item("lock", "BOOL");
const offset = item("offset", "NUMBER");
const curve = item("curve", "OPTION", { options: { Soft: 0, Normal: 1 } });
const title = item("title", "TEXT");
const code = item("code", "TEXT", { secret: true });
const serial = item("serial", "TEXT", { readOnly: true });

const fields: readonly [of: CfgItem, value: unknown, entry: Entry][] = [
  [lock, true, true],
  [lock, undefined, false],
  [offset, -0.5, "-0.5"],
  [curve, 1, "1"],
  [title, "", ""],
  [code, "set", ""],
  [offset, null, ""],
];
for (const [of, value, entry] of fields) {
  test(`shows ${JSON.stringify(value)} of ${of.name} as ${JSON.stringify(entry)}`, () => {
    assert.equal(entryOf(of, value), entry);
  });
}

const values: readonly [of: CfgItem, entry: Entry, value: unknown][] = [
  [lock, true, true],
  [offset, "1,5", 1.5],
  [offset, " ", undefined],
  [offset, "warm", undefined],
  [curve, "1", 1],
  [curve, "7", undefined],
  [title, "Hall", "Hall"],
];
for (const [of, entry, value] of values) {
  test(`reads ${JSON.stringify(entry)} in ${of.name} as ${JSON.stringify(value)}`, () => {
    assert.equal(valueOf(of, entry), value);
  });
}

test("sends what has changed, and no secret that was left empty", () => {
  const all = [lock, offset, curve, title, code, serial];
  const now = { lock: false, offset: 0, curve: 1, title: "", serial: "1" };
  const entries = { lock: true, offset: "0", curve: "0", title: "", code: "", serial: "2" };
  assert.deepEqual(changesOf(all, now, entries), { lock: true, curve: 0 });
  assert.deepEqual(changesOf(all, now, { code: "1234" }), { code: "1234" });
});

const requested = { offset: 9, title: "A title that is too long", gone: 1 };
const missed = { status: "missed" } as const;

const fates: readonly [
  what: string,
  status: "APPLIED" | "PENDING" | "FAILED",
  message: string | null,
  of: object,
  rest: string,
][] = [
  ["are taken", "APPLIED", null, {}, ""],
  [
    "wait for an answer",
    "PENDING",
    null,
    { offset: { status: "pending" }, title: { status: "pending" } },
    "",
  ],
  [
    "are refused for one of them",
    "FAILED",
    "title: the display shows 16 characters",
    { offset: missed, title: { status: "refused", message: "the display shows 16 characters" } },
    "",
  ],
  ["are lost on the way", "FAILED", "no answer", { offset: missed, title: missed }, "no answer"],
  [
    "are refused for another",
    "FAILED",
    "lock: no such key",
    { offset: missed, title: missed },
    "lock: no such key",
  ],
  ["are refused without a word", "FAILED", null, { offset: missed, title: missed }, ""],
];
for (const [what, status, message, of, rest] of fates) {
  test(`says at each field of a change that its settings ${what}`, () => {
    const items = [lock, offset, title];
    const now = { status, message, requested: status === "APPLIED" ? null : requested };
    const found = fatesOf(now, items);
    assert.deepEqual([Object.fromEntries(found.of), found.message], [of, rest]);
  });
}
