import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given, testNow } from "@ledge/testkit";
import { alarm, alarmId } from "./alarm.ts";
import { alarmKinds, alarmTexts } from "./alarm-texts.ts";
import { languages } from "./language.ts";
import { limits } from "./limits.ts";

const raised = (sourceId: string, count = 1, facts: Record<string, string | number> = {}) => ({
  type: "AlarmRaised",
  id: `ADAPTER_FAILED-${sourceId}`,
  kind: "ADAPTER_FAILED",
  sourceId,
  name: sourceId,
  facts,
  count,
});
const raise = (sourceId: string, rest: object = {}) =>
  ({ type: "RAISE_ALARM", kind: "ADAPTER_FAILED", sourceId, name: sourceId, ...rest }) as const;
const closed = (sourceId: string) => ({ type: "AlarmClosed", id: `ADAPTER_FAILED-${sourceId}` });
const removed = (sourceId: string) => ({ type: "AlarmRemoved", id: `ADAPTER_FAILED-${sourceId}` });
const id = alarmId("ADAPTER_FAILED", "sim");

describe("RAISE_ALARM", () => {
  test("raises an open alarm with a count of 1", () => {
    const after = given()
      .when(raise("sim", { facts: { failure: "hang" } }))
      .then([raised("sim", 1, { failure: "hang" })]);
    assert.deepEqual(after.state("alarm", id), {
      id,
      sourceId: "sim",
      kind: "ADAPTER_FAILED",
      name: "sim",
      facts: { failure: "hang" },
      count: 1,
      closed: false,
      createdAtMs: testNow,
      openedAtMs: testNow,
      timestamp: testNow,
    });
  });

  test("adds to the count of an alarm of the same kind and source, and updates its facts", () => {
    const after = given([raised("sim", 2, { detail: "old" })])
      .when(raise("sim", { count: 3, facts: { detail: "new" } }))
      .then([raised("sim", 3, { detail: "new" })]);
    const { count, facts, createdAtMs, timestamp } = after.state("alarm", id) ?? {};
    assert.deepEqual([count, facts, createdAtMs, timestamp], [5, { detail: "new" }, 1, testNow]);
  });

  test("reopens a closed alarm", () => {
    const before = given([raised("sim"), closed("sim")]);
    assert.equal(before.state("alarm", id)?.closed, true);
    const after = before.when(raise("sim")).then([raised("sim")]);
    assert.deepEqual([after.state("alarm", id)?.closed, after.state("alarm", id)?.count], [false, 2]);
  });

  test("raises a separate alarm for another source", () => {
    const after = given([raised("sim")])
      .when(raise("modbus"))
      .then([raised("modbus")]);
    assert.equal(after.state("alarm", id)?.count, 1);
  });

  test("cuts name and facts to their limits", () => {
    const fits = "x".repeat(limits.alarmFactChars);
    given()
      .when(raise("sim", { facts: { detail: `${fits}y`, other: fits }, name: "n".repeat(200) }))
      .then([{ ...raised("sim", 1, { detail: fits, other: fits }), name: "n".repeat(limits.nameChars) }]);
  });

  const sources = Array.from({ length: limits.alarms }, (_, index) => `s${index}`);
  const full = sources.map((source) => raised(source));

  test(`accepts up to ${limits.alarms} alarms`, () => {
    given(full.slice(1))
      .when(raise("new"))
      .then([raised("new")]);
  });

  test("replaces the alarm that was closed first when there are too many", () => {
    given([...full, closed("s9"), closed("s4")])
      .when(raise("new"))
      .then([removed("s9"), raised("new")]);
  });

  test("replaces the oldest alarm when none is closed; a repeated one replaces none", () => {
    given([...full, raised("s0")])
      .when(raise("new"))
      .then([removed("s1"), raised("new")]);
    given(full)
      .when(raise("s5"))
      .then([raised("s5")]);
  });
});

describe("CLOSE_ALARM and DELETE_ALARM", () => {
  const noAlarm = { rejected: "not-found", message: "no alarm nowhere", field: "id" } as const;

  test("CLOSE_ALARM closes an alarm; a second time changes nothing", () => {
    const after = given([raised("sim")])
      .when({ type: "CLOSE_ALARM", id })
      .then([closed("sim")]);
    assert.deepEqual(
      [after.state("alarm", id)?.closed, after.state("alarm", id)?.timestamp],
      [true, testNow],
    );
    given([raised("sim"), closed("sim")])
      .when({ type: "CLOSE_ALARM", id })
      .then([]);
  });

  test("DELETE_ALARM removes an open or closed alarm", () => {
    const after = given([raised("sim")])
      .when({ type: "DELETE_ALARM", id })
      .then([removed("sim")]);
    assert.equal(after.state("alarm", id), undefined);
    given([raised("sim"), closed("sim")])
      .when({ type: "DELETE_ALARM", id })
      .then([removed("sim")]);
  });

  for (const type of ["CLOSE_ALARM", "DELETE_ALARM"]) {
    test(`${type} refuses an unknown alarm`, () => {
      given([raised("sim")])
        .when({ type, id: "nowhere" })
        .then(noAlarm);
    });
  }
});

describe("alarmTexts", () => {
  for (const kind of alarmKinds) {
    test(`has ${kind} in every language, with all its facts`, () => {
      const facts = { name: "N", rule: "N", count: 7, failure: "memory", reason: "loop", detail: "D" };
      const { title, message } = alarmTexts(kind, facts);
      for (const texts of [title, message]) {
        assert.deepEqual(Object.keys(texts), languages);
        assert.equal(new Set(Object.values(texts)).size, languages.length);
        for (const text of Object.values(texts)) assert.doesNotMatch(text, /[{}]|undefined/);
      }
      for (const text of Object.values(message)) assert.match(text, /\bN\b/);
    });
  }

  test("describes a failure in words", () => {
    const { message } = alarmTexts("ADAPTER_FAILED", { name: "sim", failure: "hang", count: 2 });
    assert.match(message.en, /^The adapter sim no longer answered .* failed 2 times\. \(-\)$/);
    assert.match(message.de, /hat nicht mehr geantwortet/);
  });

  test("escapes markup from outside", () => {
    const { message } = alarmTexts("ADAPTER_FAILED", { name: "a", detail: '<b onclick="x">&' });
    assert.match(message.fi, /&lt;b onclick=&quot;x&quot;&gt;&amp;/);
  });

  test("ignores names from an object's prototype", () => {
    assert.doesNotMatch(alarmTexts("ADAPTER_FAILED", { failure: "toString" }).message.en, /native code/);
    assert.equal(alarmTexts("constructor", {}).title.sv, "constructor");
  });

  test("names a kind that it does not know", () => {
    const { level, title, message } = alarmTexts("COMET", { detail: "x" });
    assert.deepEqual([level, title.en, message.de], ["warn", "COMET", "COMET"]);
  });
});

test("the API shows an alarm with its texts and without its facts", () => {
  const state = given([raised("sim", 2, { failure: "exit", detail: "exit code 7" })]).state("alarm", id);
  assert.ok(state);
  const served = alarm.delta?.render?.(state, {} as never) as Record<string, unknown>;
  assert.equal(served["type"], "USER_ALARM");
  assert.equal(served["level"], "warn");
  assert.match((served["message"] as { en: string }).en, /ended unexpectedly .* 2 times\. \(exit code 7\)/);
  assert.ok(!("facts" in served));
});
