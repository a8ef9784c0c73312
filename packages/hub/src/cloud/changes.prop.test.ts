import assert from "node:assert/strict";
import { test } from "node:test";
import type { Share } from "@ledge/model";
import { commandOf, type Move, moveNames, openTestKernel } from "@ledge/testkit";
import fc from "fast-check";
import { answerOf, changesOf, Follower } from "./test-follower.ts";

const move: fc.Arbitrary<Move> = fc.record({
  name: fc.constantFrom(...moveNames),
  pick: fc.nat(99),
  value: fc.nat(999),
});
const step = fc.oneof(
  { weight: 12, arbitrary: move },
  { weight: 3, arbitrary: fc.record({ follow: fc.integer({ min: 1, max: 5 }), isLost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ rewind: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constant("restart" as const) },
  { weight: 1, arbitrary: fc.constant("stop and start sharing" as const) },
);

test("a cloud that follows the changes has the devices and alarms of the home, after losses, restarts and rewound cursors", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 80 }),
      fc.integer({ min: 1, max: 9 }),
      async (steps, max) => {
        let hub = openTestKernel();
        const hubId = await hub.accept({ type: "CREATE_HUB", name: "Cabin", timezone: "UTC" });
        const share = (to: Share): Promise<string> => hub.accept({ type: "SET_SHARE", id: hubId, share: to });
        await share("states");
        let changes = changesOf(hub, hubId);
        const cloud = new Follower();
        /** Cursors since the cloud had to forget the home. */
        let cursors: (string | undefined)[] = [undefined];
        for (const what of steps) {
          if (what === "restart") {
            hub = hub.restart();
            changes = changesOf(hub, hubId);
          } else if (what === "stop and start sharing") {
            await share("none");
            await share("states");
          } else if ("follow" in what) {
            const answer = await answerOf(changes, cloud.cursor, what.follow);
            if (what.isLost) continue;
            cloud.take(answer);
            if (cloud.share === "none") cursors = [];
            cursors.push(cloud.cursor);
          } else if ("rewind" in what) {
            cloud.cursor = cursors.at(-what.rewind) ?? cloud.cursor;
          } else {
            const command = commandOf(what, hub.kernel);
            if (command !== undefined) await hub.submit(command);
          }
        }
        do cloud.take(await answerOf(changes, cloud.cursor, max));
        while (cloud.more);
        for (const [kind, rows] of [
          ["device", cloud.devices],
          ["alarm", cloud.alarms],
        ] as const) {
          const owner = { role: 64, user: null, since: 0 };
          const ids = [...hub.kernel.all(kind)].map(([id]) => id);
          assert.deepEqual([...rows.keys()].toSorted(), ids.toSorted(), kind);
          for (const id of ids) {
            const { hidden: _, ...row } = rows.get(id) as Record<string, unknown>;
            assert.deepEqual(row, hub.kernel.render(kind, id, owner, "en"), kind);
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});
