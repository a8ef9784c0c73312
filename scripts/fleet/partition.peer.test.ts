import assert from "node:assert/strict";
import { test } from "node:test";
import { partition } from "./partition.ts";

test("no client sees a split brain, whether the broker, a follower or the writer is cut off", async () => {
  const cuts = { brokerMs: 3000, followerMs: 4000, writerMs: 10_000 };
  const found = await partition({ ...cuts, tell: () => {} });
  const said = JSON.stringify(found);
  const { withoutBroker, withoutFollower, withoutWriter, broken } = found;
  assert.deepEqual(broken, [], said);
  assert.ok(withoutBroker.stored > 0 && withoutBroker.storedThere > 0 && withoutBroker.readThere > 0, said);
  assert.ok(withoutFollower.stored > 0 && withoutFollower.storedThere === 0, said);
  assert.ok(withoutFollower.readThere > 0, said);
  assert.ok(found.takeoverMs < 20_000, said);
  assert.ok(withoutWriter.stored > 0 && withoutWriter.storedThere === 0, said);
});
