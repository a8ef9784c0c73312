import assert from "node:assert/strict";
import { before, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let owner: string;

before(async () => {
  hub = await openTestHub(memoryLog(), new SimulatedClock());
  owner = await hub.sign();
});

const ask = (id: string, key = owner): Promise<Answer> =>
  hub.api("local").send("GET", `/devices/network?deviceId=${id}`, key);

for (const [protocol, radio, network] of [
  ["zigbee", "zigbee", "ZIGBEE"],
  ["zwave", "zwave", "ZWAVE"],
  ["sim", "air", "ZIGBEE"],
  ["sim", "wire", null],
  ["hue", "air", null],
  ["modbus", "line", null],
] as const) {
  test(`GET /devices/network says ${network} of a device of ${protocol} at ${radio}`, async () => {
    const id = await hub.addDevice({ protocol, radio, native: `${protocol} ${radio}` });
    const { status, body } = await ask(id);
    assert.equal(status, 200);
    assert.deepEqual(body, { type: "DEVICE_NETWORK", deviceId: id, protocol, network });
  });
}

test("GET /devices/network answers administrators alone, and knows no device that is not there", async () => {
  const id = await hub.addDevice({ native: "asked" });
  const administrator = await hub.user(roles.USER_ADMIN);
  const user = await hub.user(roles.IDENTIFIED_USER);
  assert.equal((await ask(id, administrator.key)).status, 200);
  assert.equal((await ask(id, user.key)).status, 403);
  assert.equal((await ask("nobody")).status, 404);
});
