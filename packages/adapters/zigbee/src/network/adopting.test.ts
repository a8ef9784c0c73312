import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Adoption } from "./kept-network.ts";
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

test("a network that is adopted while another one is taken over replaces it", async (t) => {
  const [other, own] = [await formHome(), await formHome()];
  await other.plug();
  const donor = other.rig();
  const stick = await own.plug();
  const rig = own.rig();
  t.after(() => Promise.all([other.close(), own.close(), donor.close(), rig.close()]));
  await Promise.all([donor.up(), rig.up()]);
  const adoptionOf = async ({ network: { parameters }, network }: typeof rig): Promise<Adoption> => ({
    network: parameters ?? assert.fail("it has a network"),
    backup: await network.backUp(),
    database: "",
  });
  const latter = await adoptionOf(rig);
  let later: Promise<boolean> | undefined;
  rig.onPut = async (key) => {
    if (key !== "network" || later !== undefined) return;
    later = rig.network.adopt(latter, 40_000);
    // All that it can store meanwhile.
    await setImmediate();
  };
  assert.equal(await rig.network.adopt(await adoptionOf(donor), 40_000), false);
  assert.equal(await later, true);
  assert.equal(stick.network?.extendedPanId, latter.network.extendedPanId);
});
