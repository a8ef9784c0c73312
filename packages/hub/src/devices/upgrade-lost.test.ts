import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpgradeInfo } from "@ledge/model";
import { eventually, TestHome } from "../testdata/hub-process.ts";

const home = new TestHome();

test("an upgrade fails with an alert when its adapter or hub is killed, and can start again", async () => {
  const { id } = await home.device("Kitchen counter");
  const reached = (status: string): Promise<UpgradeInfo> =>
    eventually(status, async () => {
      const { json } = await home.call("PUT", "/devices/command", [{ type: "CMD_GET_UPGRADE_INFO", id }]);
      return (json as UpgradeInfo | null)?.status === status ? (json as UpgradeInfo) : undefined;
    });
  const started = async (): Promise<void> => {
    const start = [{ type: "CMD_START_UPGRADE", id }];
    // While its adapter restarts, the request fails as unreachable.
    await eventually("an installation", async () => {
      await home.call("PUT", "/devices/command", start);
      const { json } = await home.call("PUT", "/devices/command", [{ type: "CMD_GET_UPGRADE_INFO", id }]);
      return (json as UpgradeInfo).status === "INSTALLING" ? true : undefined;
    });
    assert.deepEqual(await home.alerts(), []);
  };
  const told = ["The firmware of Kitchen counter was not upgraded"];

  await reached("AVAILABLE");
  await started();
  await home.hub.killAdapter();
  const { message, pctComplete } = await reached("FAILED");
  assert.match(message ?? "", /adapter|broken off/);
  assert.equal(pctComplete, null);
  assert.deepEqual(await home.alerts(), told);

  await started();
  await home.hub.kill();
  await home.start();
  await reached("FAILED");
  assert.deepEqual(await home.alerts(), told);
});
