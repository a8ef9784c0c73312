import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { formHome } from "./test-home.ts";

test("an adopted network is up when a stick was opened with it, not with the one before", async (t) => {
  const [former, own] = [await formHome(), await formHome()];
  await former.plug();
  const donor = former.rig();
  t.after(() => Promise.all([former.close(), own.close(), donor.close()]));
  await donor.up();
  const backup = await donor.network.backUp();
  const network = donor.network.parameters ?? assert.fail("it has a network");
  const stick = await own.plug();
  const rig = own.rig();
  t.after(() => rig.close());
  // The stick finishes opening with the present network while the other is being stored.
  rig.onPut = async (key) => {
    if (key.startsWith("adoption")) await until("the stick is open", () => rig.said.includes("opened"));
  };
  await rig.network.start();
  assert.equal(await rig.network.adopt({ network, backup, database: "" }, 40_000), true);
  assert.equal(stick.network?.extendedPanId, network.extendedPanId);
});
