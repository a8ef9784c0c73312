import assert from "node:assert/strict";
import { test } from "node:test";
import { given, testNow } from "@ledge/testkit";
import { alert } from "./alert.ts";
import { limits } from "./limits.ts";

const text = { msg_id: "SCENE_INCOMPLETE", parameters: { name: "Evening" } };
const raise = { type: "RAISE_ALERT", ...text, sourceId: "s1", error: true, userId: null };
const raised = (id: string, fields: object = {}) => ({
  ...raise,
  type: "AlertRaised",
  id,
  ...fields,
});
const timer = (id: string, due = testNow + limits.alertMs) => ({
  type: "TimerSet",
  id: `alert:${id}`,
  due,
  durationMs: limits.alertMs,
  late: "fire",
  lateMaxMs: 0,
});
const cleared = (id: string) => [
  { type: "AlertCleared", id },
  { type: "TimerCancelled", id: `alert:${id}` },
];

test("RAISE_ALERT sets the timer that ends the alert; CLEAR_ALERT removes both", () => {
  given()
    .when(raise)
    .then([raised("new-1"), timer("new-1")]);
  const clear = { type: "CLEAR_ALERT", id: "a1" };
  given([raised("a1"), timer("a1")])
    .when(clear)
    .then(cleared("a1"));
  given([raised("a1")])
    .when(clear)
    .then([{ type: "AlertCleared", id: "a1" }]);
  given().when(clear).then({ rejected: "not-found", field: "id" });
});

test("RAISE_ALERT raises one alert for each source, text and user", () => {
  const one = given([raised("a1")]);
  one.when(raise).then([]);
  one.when({ ...raise, error: false, parameters: {} }).then([]);
  one.when({ ...raise, sourceId: "s2" }).then([raised("new-1", { sourceId: "s2" }), timer("new-1")]);
  one.when({ ...raise, userId: "u1" }).then([raised("new-1", { userId: "u1" }), timer("new-1")]);
});

test("RAISE_ALERT refuses an unknown text", () => {
  for (const msg_id of ["NO_SUCH", "__proto__", "toString"]) {
    given()
      .when({ ...raise, msg_id })
      .then({ rejected: "invalid", field: "msg_id" });
  }
});

test("RAISE_ALERT removes the oldest alert when there are too many", () => {
  const many = Array.from({ length: limits.alerts }, (_, index) =>
    raised(`a${index}`, { sourceId: `s${index}` }),
  );
  const another = { ...raise, sourceId: "new" };
  const made = [raised("new-1", { sourceId: "new" }), timer("new-1")];
  given(many.slice(1)).when(another).then(made);
  given([...many, timer("a0", 5)])
    .when(another)
    .then([...cleared("a0"), ...made]);
});

test("an alert shows its message in the reader's language, and only to its user", () => {
  const state = given([raised("a1", { userId: "u1" })]).state("alert", "a1");
  assert.ok(state);
  const read = { get: () => undefined, all: () => new Map<string, never>().entries(), size: () => 0 };
  const shown = (language: string): unknown =>
    alert.delta?.render?.(state, { read, seen: undefined, language, timestamp: 9, forGuests: false });
  const fields = { msg_id: text.msg_id, sourceId: "s1", realtime_ms: 1, error: true, userId: "u1" };
  const message = "Scene Evening: a device did not follow";
  assert.deepEqual(shown("en"), { type: "USER_ALERT", id: "a1", ...fields, message, timestamp: 9 });
  assert.equal((shown("de") as { message: string }).message, "Szene Evening: ein Gerät ist nicht gefolgt");
  assert.equal(alert.delta?.reader?.(state), "u1");
});
