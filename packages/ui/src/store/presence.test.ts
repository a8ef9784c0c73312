import assert from "node:assert/strict";
import { test } from "node:test";
import { openPresence, presenceId, setPresence } from "./presence.ts";
import { browser, installBrowser } from "./testdata/browser.ts";

installBrowser();

test("stands for its user under a new id each time, also after a reload, until it ends", async () => {
  await openPresence();
  assert.equal(presenceId.peek(), null);
  await setPresence(true);
  const first = presenceId.peek() ?? "";
  assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  presenceId.value = null;
  await openPresence();
  assert.equal(presenceId.peek(), first);
  await setPresence(false);
  assert.equal(presenceId.peek(), null);
  assert.deepEqual([...browser.stored.keys()], []);
  await setPresence(true);
  assert.notEqual(presenceId.peek(), first);
});
