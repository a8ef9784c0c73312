import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { key } from "../api/call.ts";
import { enter, home, leave, resume, role, sync } from "./home.ts";
import { notices, notify } from "./notices.ts";
import { browser, hubKey, installBrowser, renewBrowser } from "./testdata/browser.ts";

installBrowser();

const told = {
  timestamp: 5,
  full: true,
  polls: [{ users: { a: { id: "a", name: "Ada", email: "ada@example.org" } } }],
};
const refused = async (): Promise<Response> => new Response("{}", { status: 401 });

/** Resolves when the page says so of its connection. */
function connectionIs(wanted: string): Promise<void> {
  return new Promise((resolve) => {
    sync.connection.subscribe((now) => {
      if (now === wanted) resolve();
    });
  });
}

/** Lets a user in, who sees the home and is shut out. */
async function shutOut(user: string): Promise<void> {
  browser.stored.set("key", hubKey("h", user)).set("snapshot", { of: `h ${user}`, role: 4, answer: told });
  browser.stored.set(`draft h ${user} rule 1`, { value: "typed" });
  browser.stored.set("presence", "an id");
  browser.answers = { "/hub/poll": refused };
  await resume(hubKey("h", user), true);
  assert.deepEqual(home.of.users.ids.peek(), ["a"]);
  await connectionIs("refused");
}

describe("a browser that was shut out", () => {
  beforeEach(renewBrowser);
  afterEach(leave);

  test("follows the home again once it is let in, and keeps what the user typed", async () => {
    await shutOut("a");
    browser.answers = {
      "/hub/keycheck": async () => Response.json({ role: 4 }),
      "/hub/poll": async () => Response.json({ timestamp: 6, full: false, polls: [] }),
    };
    await enter(hubKey("h", "a"), true);
    assert.notEqual(sync.connection.peek(), "refused");
    await connectionIs("live");
    assert.deepEqual([home.asOf.peek(), home.of.users.ids.peek()], [6, ["a"]]);
    assert.ok(browser.stored.has("draft h a rule 1"));
  });

  test("shows and keeps nothing of the former user for the next one", async () => {
    await shutOut("a");
    notify("Discarded.");
    browser.answers = { "/hub/keycheck": async () => Response.json({ role: 1 }) };
    await enter(hubKey("h", "b"), false);
    assert.deepEqual([home.asOf.peek(), home.of.users.ids.peek(), role.peek()], [0, [], 1]);
    assert.deepEqual([[...browser.stored.keys()], notices.peek()], [[], []]);
  });

  test("shows nothing of the former user when the home of another one is opened", async () => {
    await shutOut("a");
    browser.answers = {};
    await resume(hubKey("h", "b"), true);
    assert.deepEqual([home.asOf.peek(), home.of.users.ids.peek(), role.peek()], [0, [], 0]);
    assert.deepEqual([...browser.stored.keys()], []);
  });
});

describe("messages", () => {
  afterEach(leave);

  test("go with the user who leaves", async () => {
    notify("Moved.");
    await leave();
    assert.deepEqual(notices.peek(), []);
  });

  test("take back nothing under the key of another user", async () => {
    const taken: string[] = [];
    key.value = hubKey("h", "a");
    notify("Moved.", { undo: async () => void taken.push("moved") });
    const [notice] = notices.peek();
    key.value = hubKey("h", "b");
    await notice?.undo?.();
    assert.deepEqual(taken, []);
    key.value = hubKey("h", "a");
    await notice?.undo?.();
    assert.deepEqual(taken, ["moved"]);
  });
});
