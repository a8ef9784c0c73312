import assert from "node:assert/strict";
import { test } from "node:test";
import type { HubHealth } from "@ledge/model";
import { bareProfile, eventually, temporaryFolder } from "../testdata/hub-process.ts";
import { OpenHub } from "../testdata/open-hub.ts";

test("GET /hub/health tells figures of the hub, and its troubles in the reader's language", async (t) => {
  const folder = temporaryFolder();
  // The stick of both is not there, and nobody answers for the cloud.
  const path = "/dev/serial/by-id/usb-no-such-stick";
  const profile = bareProfile(folder.path, {
    adapters: { zigbee: { radio: { path, stick: "zstack" } }, zwave: { radio: { path } } },
  });
  const open = await OpenHub.open({ folder: folder.path, profile, cloud: "http://127.0.0.1:9" });
  t.after(async () => {
    await open.close();
    folder.remove();
  });
  const key = await open.recoveredKey("owner@example.org");
  await open.call("PUT", "/rooms", key, [{ name: "Hall" }]);
  const health = async (language: string): Promise<HubHealth> => {
    const headers = { authorization: key, "accept-language": language };
    const response = await fetch(`${open.address}/cc/1.14/hub/health`, { headers });
    assert.equal(response.status, 200);
    return (await response.json()) as HubHealth;
  };
  const found = await eventually("both adapters", async () => {
    const told = await health("fi");
    return told.adapters.length === 2 ? told : undefined;
  });
  assert.deepEqual([found.profile, found.state, found.reason], ["bare", "serving", null]);
  assert.ok(found.log.fileBytes > 0 && found.upMs >= 0 && found.memory.processBytes > 1_000_000);
  assert.ok(found.disk !== null && found.disk.freeBytes <= found.disk.totalBytes);
  assert.deepEqual([found.counts["room"], found.counts["user"]], [1, 1]);
  assert.deepEqual(found.cloud, { url: "http://127.0.0.1:9", connected: false, clone: null });
  assert.deepEqual(
    found.radios.map(({ port, isThere }) => [port, isThere]),
    [
      [path, false],
      [path, false],
    ],
  );
  const own = found.troubles.filter(({ code }) => !["DISK_LOW", "MEMORY_LOW"].includes(code));
  assert.deepEqual(own.map(({ code, of }) => `${code} ${of}`).toSorted(), [
    "CLOUD_AWAY null",
    "RADIO_GONE zigbee",
    "RADIO_GONE zwave",
  ]);
  assert.match(own[0]?.text ?? "", /tikku ei ole kytkettynä/);
  assert.equal(own[0]?.reason, path);
  assert.match(own[2]?.remedy ?? "", /internetyhteys/);
  assert.match((await health("de")).troubles[0]?.text ?? "", /nicht eingesteckt/);
});
