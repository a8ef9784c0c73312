import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutSecrets } from "./aggregates.ts";
import type { LoggedEvent } from "./event.ts";
import { withoutPersonal, withPersonal } from "./personal.ts";

const fields = { name: "", "inner.phone": null } as const;
const shout = (value: unknown): unknown => String(value).toUpperCase();

test("withPersonal replaces personal fields at their paths, and nothing else", () => {
  const object = { name: "ann", other: "ann", inner: { phone: "a1", name: "ann" } };
  assert.deepEqual(withPersonal(object, fields, shout), {
    name: "ANN",
    other: "ann",
    inner: { phone: "A1", name: "ann" },
  });
  assert.deepEqual(withoutPersonal(object, fields), {
    name: "",
    other: "ann",
    inner: { phone: null, name: "ann" },
  });
});

test("withPersonal returns the same object when there is nothing to replace", () => {
  for (const object of [{}, { name: null, inner: null }, { inner: "x" }, { inner: {} }]) {
    assert.equal(withPersonal(object, fields, shout), object);
  }
});

test("withoutSecrets hides who a user is", () => {
  const envelope = { version: 1, origin: "system", depth: 0 } as const;
  const profile = { email: "ann@example.org", nickname: "Ann", phone: "1" };
  const added = { type: "UserAdded", id: "ann", ...profile, role: 2, ...envelope } as LoggedEvent;
  assert.deepEqual(withoutSecrets(added), { ...added, email: "…", nickname: "…", phone: "…" });
  const revoked = { type: "UserRevoked", id: "ann", ...envelope } as LoggedEvent;
  assert.equal(withoutSecrets(revoked), revoked);
});
