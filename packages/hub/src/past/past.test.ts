import assert from "node:assert/strict";
import { test } from "node:test";
import type { Room } from "@ledge/model";
import { TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();

const roomNames = async (query = ""): Promise<string[]> => {
  const { status, json } = await home.call("GET", `/rooms${query}`);
  assert.equal(status, 200, JSON.stringify(json));
  return Object.values(json as Record<string, Room>).map(({ name }) => name);
};

const now = async (): Promise<number> =>
  ((await home.call("GET", "/hub/poll?ts=0")).json as { timestamp: number }).timestamp;

test("a hub shows how it was", async () => {
  await home.hub.homeAnnounced(home.key);
  const before = await now();
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Attic" }]);
  const then = await now();
  await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Cellar" }]);
  assert.deepEqual(
    [(await roomNames(`?at=${then}`)).includes("Attic"), (await roomNames(`?at=${then}`)).includes("Cellar")],
    [true, false],
  );
  assert.equal((await roomNames(`?at=${before}`)).includes("Attic"), false);
  assert.deepEqual(await roomNames(`?at=${await now()}`), await roomNames());
});
