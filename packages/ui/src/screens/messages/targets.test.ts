import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageTarget } from "../../api/messages.ts";
import { flawsOf, formOf, wantedOf } from "./targets.ts";

const phone: MessageTarget = {
  id: "t",
  user: "ann",
  kind: "ntfy",
  name: "Phone",
  url: "https://ntfy.sh",
  topic: "home",
  hasToken: true,
  alarms: "warn",
  local: false,
};
const empty = formOf(undefined, "ann");

test("a new server needs an address, and what its kind asks for besides", () => {
  assert.deepEqual(flawsOf(empty, undefined), { url: "login.missing", topic: "login.missing" });
  const at = { ...empty, url: " https://ntfy.sh ", topic: "home" };
  assert.deepEqual(flawsOf(at, undefined), {});
  assert.deepEqual(flawsOf({ ...at, kind: "gotify", topic: "" }, undefined), { token: "login.missing" });
  assert.deepEqual(flawsOf({ ...at, kind: "matrix", topic: "" }, undefined), {
    topic: "login.missing",
    token: "login.missing",
  });
  for (const url of ["ntfy.sh", "ftp://ntfy.sh", "https://ann@ntfy.sh", "https://ntfy.sh/?a=1", "https://"])
    assert.deepEqual(flawsOf({ ...at, url }, undefined), { url: "messages.badUrl" }, url);
});

test("a token stays with its server, and is asked for again at another", () => {
  const form = formOf(phone, "");
  assert.deepEqual(flawsOf(form, phone), {});
  assert.deepEqual(flawsOf({ ...form, url: "https://ntfy.sh/under/a/path" }, phone), {});
  assert.deepEqual(flawsOf({ ...form, url: "https://other.example" }, phone), {
    token: "messages.tokenAgain",
  });
  assert.deepEqual(flawsOf({ ...form, kind: "gotify" }, phone), { token: "messages.tokenAgain" });
  assert.deepEqual(flawsOf({ ...form, url: "https://other.example", token: "tk" }, phone), {});
});

test("says only what somebody typed, and no topic where there is none", () => {
  const made = { kind: "ntfy", url: "https://ntfy.sh", topic: "home", alarms: "warn", user: "ann" } as const;
  assert.deepEqual(wantedOf({ ...empty, url: "https://ntfy.sh ", topic: " home" }, undefined), made);
  const changed = wantedOf({ ...formOf(phone, ""), kind: "gotify", token: " tk " }, phone);
  assert.deepEqual(changed, { ...made, id: "t", kind: "gotify", topic: null, name: "Phone", token: "tk" });
});
