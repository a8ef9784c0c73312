import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { memoryRegisterStore, type RegisterStore } from "@ledge/fleet";
import { memoryLog } from "@ledge/log";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import { LogFeed, logSource } from "./log-feed.ts";

const base = new SimulatedClock().now();
const envelope = { version: 1, origin: "console", depth: 0 } as const;
const created = (path: string, id = "s") => {
  const about = { entityType: "room", displayName: "", attributes: [], device: null };
  return { type: "EntityCreated", id, path, ...about, ...envelope };
};

/** A log, and a way to follow it into a store. */
function feeding(
  context: TestContext,
  store: RegisterStore = memoryRegisterStore(() => 0),
  log = memoryLog(),
) {
  const clock = new SimulatedClock();
  const closed: string[] = [];
  let feed: LogFeed | undefined;
  const start = (more: Partial<RegisterStore> = {}): void => {
    feed = new LogFeed({
      log,
      store: {
        apply: (batch) => store.apply(batch),
        cursorOf: (source) => store.cursorOf(source),
        forget: (source) => store.forget(source),
        ...more,
      },
      sealed: (event) => event,
      hasTargets: (siteId) => siteId === "s",
      onStored: () => {},
      onClosed: (siteId) => void closed.push(siteId),
      now: () => clock.now(),
      clock,
      logger: { warn: () => {} },
    });
  };
  const stop = async (): Promise<void> => {
    const stopped = feed?.stop();
    await clock.pass(limits.egressFeedRetryMs);
    await stopped;
  };
  context.after(stop);
  const pathsOf = async (topic = "s"): Promise<string[]> =>
    (await store.outbox(topic, 0, 1e6)).map(({ body }) => (body as { event: { path: string } }).event.path);
  /** Waits until the outbox has these events. */
  const has = async (...paths: string[]): Promise<void> => {
    let found: string[] = [];
    await until(`${paths.join()} in the outbox`, () => {
      void pathsOf().then((now) => (found = now));
      void clock.pass(1);
      return JSON.stringify(found) === JSON.stringify(paths);
    });
  };
  return { store, log, start, stop, has, pathsOf, closed };
}

test("puts events of sites with targets into their outboxes, each once over a restart", async (t) => {
  const { store, log, start, stop, has, pathsOf } = feeding(t);
  start();
  await log.append({ timestamp: base, events: [created("a"), created("x", "other"), created("b")] });
  await has("a", "b");
  await stop();
  await log.append({ timestamp: base + 1, events: [created("c")] });
  start();
  await has("a", "b", "c");
  assert.deepEqual(
    (await store.outbox("s", 0, 10)).map(({ ref }) => ref),
    [`${base}-0`, `${base}-2`, `${base + 1}-0`],
  );
  assert.deepEqual(await pathsOf("other"), []);
});

test("takes the events of a site whose first target is in the log, before its state is there", async (t) => {
  const { log, start, pathsOf, has } = feeding(t);
  start();
  const target = { type: "EgressTargetCreated", id: "new", ...envelope };
  await log.append({ timestamp: base, events: [created("before", "new"), target, created("after", "new")] });
  await log.append({ timestamp: base + 1, events: [created("a")] });
  await has("a");
  // The commit is looked at as a whole: a target never gets what is older than itself.
  assert.ok((await pathsOf("new")).includes("after"));
});

test("begins with the events of the last days when the store was lost, or the log is older than the store", async (t) => {
  const log = memoryLog();
  const old = base - limits.egressKeptMs;
  await log.append({ timestamp: old - 1, events: [created("old")] });
  await log.append({ timestamp: old + 60_000, events: [created("a")] });
  await log.append({ timestamp: base, events: [created("b")] });
  const lost = feeding(t, undefined, log);
  lost.start();
  await lost.has("a", "b");
  const ahead = memoryRegisterStore(() => 0);
  const batch = {
    source: logSource,
    generation: 1,
    after: null,
    upto: String(base + 9),
    upserts: [],
    removals: [],
  };
  await ahead.apply({ ...batch, outbox: [{ topic: "s", ref: "1-0", body: { event: { path: "future" } } }] });
  const restored = feeding(t, ahead, log);
  restored.start();
  await restored.has("a", "b");
});

test("tries again what could not be stored, and leaves out nothing", async (t) => {
  const { store, log, start, has } = feeding(t);
  let failures = 3;
  start({
    apply: (batch) => (failures-- > 0 ? Promise.reject(new Error("the disk is full")) : store.apply(batch)),
  });
  await log.append({ timestamp: base, events: [created("a")] });
  await log.append({ timestamp: base + 1, events: [created("b")] });
  await has("a", "b");
  assert.ok(failures <= 0);
});

test("stores its place after many commits without events of sites, so that a restart is short", async (t) => {
  const { store, log, start } = feeding(t);
  start();
  for (let count = 1; count <= limits.egressFeedCommits; count++)
    await log.append({ timestamp: base + count, events: [created("x", "other")] });
  let cursor: string | undefined;
  await until("the place in the log", () => {
    void store.cursorOf(logSource).then((known) => (cursor = known?.cursor));
    return cursor === String(base + limits.egressFeedCommits);
  });
});

test("tells when a site may have no targets any more", async (t) => {
  const { log, start, closed } = feeding(t);
  start();
  await log.append({
    timestamp: base,
    events: [{ type: "EgressClosed", id: "gone", ...envelope }],
  });
  await until("the end of the site", () => closed.includes("gone"));
});
