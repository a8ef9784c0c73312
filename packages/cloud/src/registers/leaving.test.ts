import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { ended, TestTenant } from "../graph/test-tenant.ts";
import { Served } from "../http/test-served.ts";
import { refusalOf } from "../model/submitting.ts";
import { deviceLine, linesOf, send, TestHome } from "../replication/test-home.ts";
import type { Replication } from "../replication/replication.ts";
import { Leaving } from "./leaving.ts";
import { Registers } from "./registers.ts";

let served: Served;
let home: TestHome;
let tenant: TestTenant;
let register: string;
before(async () => {
  served = await Served.start();
  tenant = await TestTenant.open(served, "owner@example.org");
  let count = 0;
  home = await TestHome.open(served, "owner@example.org", (asked) => {
    if (asked.after?.startsWith("told.")) return;
    const end = { next: `told.${++count}`, more: false };
    send(asked, linesOf(asked, [deviceLine("lamp")], end, { full: true }));
  });
  register = await tenant.createRegister("Homes");
  const gateway = { deviceRegisterId: register, hub: { serialNumber: home.hub.id } };
  const { operation } = await tenant.send("RegisterHubDeviceRegisterCommand", gateway);
  await ended(served, operation);
});
after(() => served.stop());

/** Opens what empties registers once more, as a start of the cloud does. @param failures of the first tries */
function restarted(failures = 0): Leaving {
  const { cloud, clock } = served.test;
  const { kernel, registers: store, bus, tenancy } = cloud;
  const { gateways } = tenancy;
  const logger = createLogger("silent");
  const registers = new Registers({
    kernel,
    store,
    bus,
    gateways,
    clock,
    logger,
    cursorKey: new Uint8Array(32),
  });
  let left = failures;
  const replication: Pick<Replication, "leave"> = {
    leave: (...asked) =>
      left-- > 0
        ? Promise.reject(new Error("the disk is full"))
        : served.platform.replication.leave(...asked),
  };
  return new Leaving({ cloud, registers, replication, clock, logger });
}

async function rows(): Promise<number> {
  return (await served.registers.ids(register)).length;
}

test("what cannot be deleted of a register is deleted later, and a start goes on after a crash", async () => {
  const { kernel } = served.test.cloud;
  served.platform.graph.stop();
  assert.equal(await rows(), 2);
  assert.equal(
    await refusalOf(kernel, "system", { type: "DELETE_DEVICE_REGISTER", id: register }),
    undefined,
  );
  assert.equal(await rows(), 2);
  const leaving = restarted(2);
  await leaving.done(register);
  assert.equal(await rows(), 2);
  await served.test.clock.pass(limits.retryMinMs);
  await leaving.done(register);
  assert.equal(await rows(), 2);
  await served.test.clock.pass(2 * limits.retryMinMs);
  await until("the end", () => kernel.get("deviceRegister", register) === undefined);
  assert.equal(await rows(), 0);
  assert.deepEqual(await home.ids(), ["lamp"]);
  leaving.stop();
});
