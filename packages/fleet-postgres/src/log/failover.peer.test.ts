import assert from "node:assert/strict";
import { symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { batchOf, rowOf } from "@ledge/fleet/contract";
import type { RegisterStore } from "@ledge/fleet";
import type { EventLog } from "@ledge/log";
import type { Commit } from "@ledge/model";
import { temporaryFolder } from "@ledge/testkit";
import { PostgresServer } from "@ledge/testkit/postgres";
import { openPostgresRegisterStore } from "../postgres-register-store.ts";
import { openPostgresLog } from "./postgres-log.ts";

const root = temporaryFolder();
/** As the name of a cluster does, it leads to the server that is the primary now. */
const primary = join(root.path, "primary");
const url = `postgres://ledge@localhost/postgres?host=${encodeURIComponent(primary)}`;
const servers: PostgresServer[] = [];
let store: RegisterStore;
let log: EventLog;
const outages: (string | undefined)[] = [];
let out = Promise.withResolvers<void>();

const commit = (timestamp: number): Commit => ({
  timestamp,
  events: [{ type: "AccountAdded", id: `a${timestamp}`, version: 1, origin: "system", depth: 0 }],
});

function lead(server: PostgresServer): void {
  if (servers.length > 0) unlinkSync(primary);
  symlinkSync(server.folder, primary);
  servers.push(server);
}

before(async () => {
  lead(await PostgresServer.start());
  store = await openPostgresRegisterStore({ url });
  const lease = (await store.takeLease("writer", "one", 60_000)) ?? assert.fail();
  const onOutage = (reason: string | undefined): void => {
    outages.push(reason);
    if (reason !== undefined) out.resolve();
  };
  log = await openPostgresLog({ url, fence: { lease: "writer", epoch: lease.epoch }, onOutage });
});

after(async () => {
  await log.close();
  await store.close();
  for (const server of servers) await server.remove();
  root.remove();
});

test("goes on at a promoted standby that acknowledged with the primary, under the same lease", async () => {
  const [first] = servers as [PostgresServer];
  const standby = await first.standby({ isSynchronous: true });
  await log.append(commit(10));
  await store.apply(batchOf([rowOf("a")], { source: "hub", upto: "1" }));
  await first.kill();
  const waiting = log.append(commit(20));
  await out.promise;
  standby.promote();
  lead(standby);
  await waiting;
  assert.deepEqual([outages.length, outages.at(-1)], [2, undefined]);
  assert.deepEqual(await store.get(rowOf("a")), rowOf("a"));
  const again = await openPostgresLog({ url });
  assert.deepEqual(
    [[...again.read()].map(({ timestamp }) => timestamp), again.verify().damage],
    [[10, 20], []],
  );
  await again.close();
});

test("writes nothing more at a standby that was promoted without what was acknowledged", async () => {
  const [, second] = servers as [PostgresServer, PostgresServer];
  const standby = await second.standby();
  await standby.kill();
  await log.append(commit(30));
  await second.kill();
  await standby.resume();
  standby.promote();
  lead(standby);
  out = Promise.withResolvers();
  await assert.rejects(log.append(commit(40)), /has lost what it had acknowledged/);
  const again = await openPostgresLog({ url });
  assert.deepEqual(
    [[...again.read()].map(({ timestamp }) => timestamp), again.verify().damage],
    [[10, 20], []],
  );
  await again.close();
});
