import assert from "node:assert/strict";
import { test } from "node:test";
import { lockCommand, lockMissing, lockProblems } from "@ledge/model/events-lock";
import { isWellFormed } from "@ledge/testkit";
import lock from "../../events.lock.json" with { type: "json" };
import { Check } from "typebox/value";
import { cloudEvents } from "./index.ts";

test("no event that a cloud's log may hold is gone or reads otherwise", () => {
  assert.deepEqual(lockProblems(lock, cloudEvents.values()), []);
});

test("every event is locked", () => {
  const missing = lockMissing(lock, cloudEvents.values());
  assert.deepEqual(missing, [], `not in packages/cloud/events.lock.json; to add them: ${lockCommand}`);
});

test("what may go with age is named here: anything else is kept for ever", () => {
  const telemetry = [...cloudEvents.values()].filter((definition) => definition.telemetry !== undefined);
  assert.deepEqual(telemetry.map(({ type }) => type).toSorted(), [
    "AuthorizationsSeen",
    "CloneGone",
    "CloneSeen",
    "HubSeen",
    "LoginEnded",
    "LoginFailed",
    "LoginPending",
    "LoginProven",
    "LoginRequested",
    "TimerCancelled",
    "TimerFired",
    "TimerSet",
    "TimerSkipped",
  ]);
});

test("what is shown in the place of a personal field is what such a field may hold", () => {
  for (const { type, schema, personal = {} } of cloudEvents.values())
    for (const [field, shown] of Object.entries(personal)) {
      const held = schema.properties[field] ?? assert.fail(`${type} has no ${field}`);
      assert.ok(isWellFormed(held, shown), `${type}: ${field}`);
    }
});

test("what is personal and what is secret is named here", () => {
  const named = [...cloudEvents.values()].flatMap(({ type, personal, secrets }) => {
    const fields = [...Object.keys(personal ?? {}), ...(secrets ?? [])];
    return fields.length === 0 ? [] : [`${type}: ${fields.join(", ")}`];
  });
  assert.deepEqual(named.toSorted(), [
    "AccountAdded: email, nickname",
    "CloudFounded: digestKey",
    "HubClaimed: from",
    "HubSeen: name",
    "PasswordSet: passwordHash",
    "ProfileSaved: nickname, phone",
    "SigningKeyAdded: privateJwk",
  ]);
});

test("what is shown of a personal field whose person is forgotten is one that the field takes", () => {
  for (const { type, personal = {}, schema } of cloudEvents.values())
    for (const [field, blank] of Object.entries(personal))
      assert.ok(Check(schema.properties[field] ?? {}, blank), `${type}: ${field}`);
});
