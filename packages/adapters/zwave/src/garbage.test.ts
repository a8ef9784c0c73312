import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@ledge/testkit";
import { FuzzedNetwork } from "./test-fuzz.ts";

const seed = Number(process.env["SEED"] ?? 20_261_127);

test(`reports nothing impossible, whatever devices say (SEED=${seed})`, async () => {
  const network = await FuzzedNetwork.start();
  try {
    const random = seededRandom(seed);
    let reported = 0;
    for (let left = 500; left > 0; left -= 1) {
      const { outcome, shown, problems } = await network.try(random);
      assert.deepEqual(problems, [], shown);
      if (outcome === "reported") reported += 1;
    }
    assert.ok(reported > 10, String(reported));
    assert.deepEqual(await network.finish(), []);
  } finally {
    await network.close();
  }
});
