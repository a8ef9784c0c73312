import assert from "node:assert/strict";
import { test } from "node:test";
import { lockCommand, lockMissing, lockProblems } from "@ledge/model/events-lock";
import { isWellFormed } from "@ledge/testkit";
import lock from "../../events.lock.json" with { type: "json" };
import { Check } from "typebox/value";
import { cloudEvents } from "./index.ts";

test("keeps every event that a cloud's log may hold, unchanged", () => {
  assert.deepEqual(lockProblems(lock, cloudEvents.values()), []);
});

test("every event is in the lock file", () => {
  const missing = lockMissing(lock, cloudEvents.values());
  assert.deepEqual(missing, [], `not in packages/cloud/events.lock.json; to add them: ${lockCommand}`);
});

test("only these events age out of the log; it keeps all others forever", () => {
  const telemetry = [...cloudEvents.values()].filter((definition) => definition.telemetry !== undefined);
  assert.deepEqual(telemetry.map(({ type }) => type).toSorted(), [
    "AuthorizationsSeen",
    "CloneGone",
    "CloneSeen",
    "EgressBatchRefused",
    "EgressDeadLettersLeft",
    "EgressFailing",
    "EgressRecovered",
    "EgressReplayAsked",
    "HubSeen",
    "LoginEnded",
    "LoginFailed",
    "LoginPending",
    "LoginProven",
    "LoginRequested",
    "OAuthArtifactDropped",
    "OAuthArtifactKept",
    "OperationCanceled",
    "OperationDropped",
    "OperationFailed",
    "OperationProgressed",
    "OperationStarted",
    "OperationSucceeded",
    "TimerCancelled",
    "TimerFired",
    "TimerSet",
    "TimerSkipped",
  ]);
});

test("every placeholder of a personal field fits the field", () => {
  for (const { type, schema, personal = {} } of cloudEvents.values())
    for (const [field, shown] of Object.entries(personal)) {
      const held = schema.properties[field] ?? assert.fail(`${type} has no ${field}`);
      assert.ok(isWellFormed(held, shown), `${type}: ${field}`);
    }
});

test("only these fields are personal or secret", () => {
  const named = [...cloudEvents.values()].flatMap(({ type, personal, secrets }) => {
    const fields = [...Object.keys(personal ?? {}), ...(secrets ?? [])];
    return fields.length === 0 ? [] : [`${type}: ${fields.join(", ")}`];
  });
  assert.deepEqual(named.toSorted(), [
    "AccountAdded: email, nickname",
    "AccountLanguageSet: language",
    "ClientCreated: name",
    "CloudFounded: digestKey",
    "DeviceRegisterCreated: displayName",
    "EgressSecretRotated: secret",
    "EgressTargetCreated: settings, secret",
    "EgressTargetUpdated: settings",
    "EntityCreated: displayName, attributes",
    "EntityUpdated: displayName, attributes",
    "GatewayNamed: name",
    "GatewayRegistered: name",
    "HubClaimed: from",
    "HubSeen: name",
    "OAuthArtifactKept: payload",
    "PasswordSet: passwordHash",
    "ProfileSaved: nickname, phone",
    "RegisterDeviceAdded: about",
    "RegisterDeviceConfigured: configuration",
    "RegisterDeviceUpdated: about",
    "ResourceAdded: displayName, tags",
    "ResourceGroupCreated: location, tags",
    "SigningKeyAdded: privateJwk",
    "SiteCreated: displayName, attributes, properties, schema",
    "SitePropertiesSet: properties",
    "SiteSchemaSet: schema",
    "SiteUpdated: displayName, attributes",
    "SubscriptionCreated: displayName, tags",
    "TemplateSet: displayName, content",
    "TenantCreated: displayName",
  ]);
});

test("every placeholder of a forgotten person's field passes the field's schema", () => {
  for (const { type, personal = {}, schema } of cloudEvents.values())
    for (const [field, blank] of Object.entries(personal))
      assert.ok(Check(schema.properties[field] ?? {}, blank), `${type}: ${field}`);
});
