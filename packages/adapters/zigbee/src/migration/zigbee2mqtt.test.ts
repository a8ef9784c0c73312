import assert from "node:assert/strict";
import { test } from "node:test";
import type { Zigbee2mqttFiles } from "@ledge/model";
import { AdapterError } from "@ledge/port";
import fc from "fast-check";
import { planOf } from "./plan.ts";
import { lampEntry, makeFolder } from "./testdata/folder.ts";
import { readFolder } from "./zigbee2mqtt.ts";

const log = (): void => {};

test("a folder's plan names its devices, groups and the channel of the backup", async () => {
  const plan = await planOf(await readFolder(makeFolder()), log);
  assert.deepEqual(
    plan.devices.map(({ native, name, class: type }) => [native, name, type]),
    [[lampEntry.ieeeAddr, "Hall", "LIGHT"]],
  );
  assert.deepEqual(plan.groups, [{ address: 7, name: "Downstairs", members: [lampEntry.ieeeAddr] }]);
  assert.equal(plan.channel, 15);
  assert.deepEqual(plan.later, []);
});

test("a device whose interview failed is left to the next scan", async () => {
  const entries = [{ ...lampEntry, interviewCompleted: false, interviewState: "FAILED" }];
  const plan = await planOf(await readFolder(makeFolder({ entries })), log);
  assert.deepEqual(plan.devices, []);
  assert.deepEqual(plan.later, [{ ieee: lampEntry.ieeeAddr, name: "Hall" }]);
});

test("without a backup the configuration tells the network", async () => {
  const { "coordinator_backup.json": _, ...files } = makeFolder();
  const { network, backup } = await readFolder(files);
  assert.deepEqual([network.channel, network.panId, backup], [20, 6754, undefined]);
});

test("refuses entries that are no devices, twice there, or without a coordinator", async () => {
  const { "database.db": database } = makeFolder();
  const cases: readonly (readonly [text: string, says: RegExp])[] = [
    ["", /0 coordinators/],
    [`${database}\n${database.split("\n")[0]}`, /is there twice/],
    [database.replace("0x000b57fffe000001", "0x000b57"), /line 2: ieeeAddr/],
    [database.replace('"nwkAddr":41091', '"nwkAddr":"x"'), /line 2: nwkAddr/],
    [database.replace('"1":{"profId"', '"__proto__":{"profId"'), /line 2: endpoints/],
    [database.replace('"groupID":7', '"groupID":70000'), /line 3: groupID/],
  ];
  for (const [text, says] of cases)
    await assert.rejects(readFolder({ ...makeFolder(), "database.db": text }), says, String(says));
});

test("refuses a backup of another format or with wrong keys", async () => {
  const cases: readonly (readonly [backup: Record<string, unknown>, says: RegExp])[] = [
    [{ metadata: { format: "other", version: 1, source: "" } }, /metadata.format/],
    [{ network_key: { key: "12", sequence_number: 0, frame_counter: 0 } }, /network_key.key/],
    [{ network_key: { key: "00".repeat(16), sequence_number: 0, frame_counter: 2 ** 32 } }, /frame_counter/],
    [{ extended_pan_id: "00".repeat(8) }, /another ext_pan_id/],
    [{ pan_id: "1a63" }, /another pan_id/],
    [{ pan_id: "ffff" }, /is no PAN id/],
  ];
  for (const [backup, says] of cases) await assert.rejects(readFolder(makeFolder({ backup })), says);
});

test("whatever stands in the files, only a refusal comes of it", async () => {
  const name = fc.constantFrom("configuration.yaml", "database.db", "coordinator_backup.json");
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom("- ".repeat(3000), "a:\n".repeat(9), "? ? ? [", "{}"),
  );
  await fc.assert(
    fc.asyncProperty(name, text, async (file, content) => {
      const files: Zigbee2mqttFiles = { ...makeFolder(), [file]: content };
      try {
        await planOf(await readFolder(files), log);
      } catch (error) {
        assert.ok(error instanceof AdapterError && error.code === "settings", String(error));
      }
    }),
    { numRuns: 200 },
  );
});
