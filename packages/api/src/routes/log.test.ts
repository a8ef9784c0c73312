import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { features } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { openTestHub } from "../test-hub.ts";

test("serves the log on the local network, but not to a page of another origin", async () => {
  const processLog = { open: () => new Blob(["a line\n"]).stream() };
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { processLog } });
  await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [features.LOG_SERVICE] });
  const read = async (headers: Record<string, string>): Promise<[number, boolean]> => {
    const { status, body } = await hub.api("local").raw("GET", "/log", undefined, { headers });
    return [status, JSON.stringify(body).includes("a line")];
  };
  assert.deepEqual(await read({}), [200, true]);
  for (const origin of ["http://cabin.local:8893", "https://setup.example.org"])
    assert.deepEqual(await read({ origin }), [200, true], origin);
  for (const origin of ["https://evil.example", "http://cabin.local", "http://cabin.local:80", "null"])
    assert.deepEqual(await read({ origin }), [403, false], origin);
});
