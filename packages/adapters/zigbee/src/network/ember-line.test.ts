import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EmberStick } from "@ledge/testkit/zigbee";
import { memberEndpoint } from "./test-home.ts";
import type { OpenLine } from "./test-line-suite.ts";
import { lineSuite } from "./test-line-suite.ts";

// The line to an ember stick repeats what is lost; the other protocols only notice.
lineSuite("ember", 2, (line) => {
  test("the network is back after the stick restarted by itself", async () => {
    const { rig, obeys } = line;
    await restarted(line);
    await obeys(true);
    assert.deepEqual(rig.lines("error"), []);
  });

  test("the network is back after the stick restarted in the midst of a command", async () => {
    const { home, rig, obeys } = line;
    const endpoint = memberEndpoint(home, rig.network.controller);
    const failed = assert.rejects(async () => await endpoint?.command("genOnOff", "toggle", {}));
    await restarted(line);
    await obeys(false);
    await failed;
  });
});

/** Restarts the stick and waits until it is opened again. */
async function restarted({ home, rig: { network } }: OpenLine): Promise<void> {
  const { controller } = network;
  (home.served.stick as EmberStick).restart();
  await until("it is reopened", () => network.controller && network.controller !== controller);
}
