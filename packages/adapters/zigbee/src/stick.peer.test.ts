import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { servePty, SimulatedAir, sticks } from "@ledge/testkit/zigbee";
import { herdsmanAt, joined, stopHerdsman } from "./test-herdsman.ts";
import { Plug } from "./test-plug.ts";

for (const kind of ["zstack", "ember"] as const)
  test(`zigbee-herdsman runs a simulated ${kind} stick at a serial port that is unplugged and plugged in again`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "ledge-zigbee-"));
    const air = new SimulatedAir();
    const served = await servePty(sticks[kind]({ air }));
    let controller = herdsmanAt(served, folder);
    t.after(async () => {
      await stopHerdsman(controller);
      await served.close();
      await rm(folder, { recursive: true });
    });
    const plug = new Plug("0x000b57fffe000001");
    air.add(plug);
    assert.equal(await controller.start(), "reset");
    assert.equal(await joined(controller, () => air.join(plug.ieee)), "successful");

    const missed = once(controller, "adapterDisconnected");
    await served.unplug();
    await missed;
    await stopHerdsman(controller);
    await assert.rejects(herdsmanAt(served, folder).start(), /No such file or directory|HOST_FATAL_ERROR/);
    await served.plug();
    controller = herdsmanAt(served, folder);
    assert.equal(await controller.start(), "resumed");
    await controller.getDeviceByIeeeAddr(plug.ieee)?.getEndpoint(1)?.command("genOnOff", "on", {});
    assert.equal(plug.isOn, true);
  });
