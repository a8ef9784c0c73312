import assert from "node:assert/strict";
import { test } from "node:test";
import { completeBackup, isBackupOf, restorableBackup } from "./backup.ts";
import type { KeptBackup } from "./kept-network.ts";
import { keptNetwork as network } from "./test-kept.ts";

const unified = {
  pan_id: "1a62",
  extended_pan_id: "00112233445566AA",
  channel: 11,
  channel_mask: [11],
  network_key: { key: "000102030405060708090A0B0C0D0E0F", sequence_number: 0, frame_counter: 1000 },
  devices: [{ ieee_address: "000d6f0000000001" }],
};
const backup: KeptBackup = { stick: "zstack", at: 1_000_000, text: JSON.stringify(unified) };
const written = (now: number, change: object = {}): typeof unified => {
  const text = JSON.stringify({ ...unified, ...change });
  const restorable = restorableBackup({ ...backup, text }, network, "zstack", now);
  assert.ok("text" in restorable, JSON.stringify(restorable));
  return JSON.parse(restorable.text) as typeof unified;
};

test("restores with the current channel and a frame counter ahead of all frames sent since", () => {
  const now = backup.at + 86_400_000;
  const counter = 1000 + 86_400 * 200;
  assert.deepEqual(written(now), {
    ...unified,
    channel: 20,
    channel_mask: [20],
    network_key: { ...unified.network_key, frame_counter: counter },
  });
  assert.equal(written(backup.at - 5).network_key.frame_counter, 1000, "a clock that was set back");
});

test("the frame counter never overflows and never goes back", () => {
  assert.equal(written(Number.MAX_SAFE_INTEGER).network_key.frame_counter, 0x7fff_ffff);
  const high = { network_key: { ...unified.network_key, frame_counter: 0xf000_0000 } };
  assert.equal(written(backup.at + 86_400_000, high).network_key.frame_counter, 0xf000_0000);
});

const text = (change: object): KeptBackup => ({ ...backup, text: JSON.stringify({ ...unified, ...change }) });
for (const [what, kept, stick, reason] of [
  ["no backup", undefined, "zstack", /there is no backup/],
  ["a backup of another kind of stick", backup, "ember", /of a zstack stick, not ember/],
  ["a stick that takes none", backup, "deconz", /cannot be put onto a deconz stick/],
  [
    "a backup of another network",
    text({ extended_pan_id: "00112233445566ab" }),
    "zstack",
    /of another network/,
  ],
  [
    "a backup with another key",
    text({ network_key: { ...unified.network_key, key: "ff" } }),
    "zstack",
    /of another network/,
  ],
  ["a damaged backup", { ...backup, text: "{" }, "zstack", /cannot be read/],
  ["an empty backup", { ...backup, text: "{}" }, "zstack", /cannot be read/],
] as const)
  test(`explains why it cannot restore ${what}`, () => {
    const restorable = restorableBackup(kept, network, stick, backup.at);
    assert.ok("reason" in restorable);
    assert.match(restorable.reason, reason);
  });

test("completes the backup of an ember stick for other programs, and leaves that of a Z-Stack as it is", () => {
  const source = {
    metadata: { source: "zigbee-herdsman@10" },
    coordinator_ieee: "010000feff23a460",
    devices: [],
  };
  const ember: KeptBackup = { stick: "ember", at: 1, text: JSON.stringify({ ...unified, ...source }) };
  const members = [{ ieee: "0x000d6f0000000001", address: 0x2f }];
  const address = "0x60a423fffe000001";
  for (const known of [address, undefined]) {
    const complete = completeBackup(ember, known, members);
    const { coordinator_ieee, devices } = JSON.parse(complete.text) as Record<string, unknown>;
    assert.equal(coordinator_ieee, "60a423fffe000001");
    assert.deepEqual(devices, [{ nwk_address: "002f", ieee_address: "000d6f0000000001", is_child: false }]);
    for (const each of [ember, complete]) {
      const restorable = restorableBackup(each, network, "ember", 1);
      assert.equal("coordinator" in restorable && restorable.coordinator, address);
    }
  }
  assert.equal(completeBackup(backup, address, members), backup);
});

test("recognises a network's backup by key and extended PAN id", () => {
  assert.ok(isBackupOf(backup.text, network));
  assert.ok(!isBackupOf(backup.text, { ...network, networkKey: "00" }));
  assert.ok(!isBackupOf("nothing", network));
});
