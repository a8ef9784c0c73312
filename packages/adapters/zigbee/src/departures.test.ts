import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate as passing } from "node:timers/promises";
import { SimulatedClock } from "@ledge/testkit";
import type { Ieee } from "@ledge/testkit/zigbee";
import { devices } from "@ledge/testkit/zigbee";
import { Departures } from "./departures.ts";
import { Radio } from "./radio.ts";
import { controllerOf } from "./test-controller.ts";
import type { Rig } from "./test-rig.ts";
import { startRig } from "./test-rig.ts";

interface Stage {
  readonly clock: SimulatedClock;
  readonly stored: Map<string, unknown>;
  readonly radio: Radio;
  readonly departures: Departures;
}

function stage(): Stage {
  const clock = new SimulatedClock();
  const stored = new Map<string, unknown>();
  const radio = new Radio();
  const departures = new Departures({
    host: {
      clock,
      log: () => {},
      store: {
        get: (key) => stored.get(key),
        async put(key, value) {
          await passing();
          stored.set(key, value);
        },
      },
    },
    radio,
    membersChanged: async () => {},
  });
  return { clock, stored, radio, departures };
}

test("remembers all devices that are forgotten at the same time", async () => {
  const { stored, departures } = stage();
  await Promise.all(["0x01", "0x02", "0x03"].map((ieee) => departures.dismiss(ieee)));
  await departures.welcome("0x02");
  assert.deepEqual(stored.get("forgotten"), ["0x01", "0x03"]);
});

test("asks an unknown address for its device once a minute, while a device must leave or may be found", async () => {
  const { clock, radio, departures } = stage();
  const asked: unknown[] = [];
  const sendRaw = async ({ networkAddress }: { networkAddress?: number }): Promise<undefined> => {
    asked.push(networkAddress);
    throw new Error("no answer");
  };
  radio.opened(controllerOf({ sendRaw, getDeviceByIeeeAddr: () => undefined }));
  await departures.heardFrom(0x1234, false);
  assert.deepEqual(asked, [], "no device must leave");
  await departures.dismiss("0x01");
  for (let frame = 0; frame < 3; frame++) await departures.heardFrom(0x1234, false);
  await departures.heardFrom(0x5678, false);
  assert.deepEqual(asked, [0x1234, 0x5678]);
  await clock.pass(60_000);
  await departures.welcome("0x01");
  await departures.heardFrom(0x1234, false);
  assert.deepEqual(asked.length, 2, "no device must leave any more");
  await departures.heardFrom(0x1234, true);
  assert.deepEqual(asked, [0x1234, 0x5678, 0x1234]);
});

describe("a device forgotten while it was unreachable", () => {
  const lampIeee = "0x000b57fffe000001";
  const contactIeee = "0x000b57fffe000002";
  const lamp = devices.unknownLamp(lampIeee);
  const contact = devices.unknownContact(contactIeee);
  let rig: Rig;
  before(async () => {
    rig = await startRig();
    await rig.pair(lamp);
    await rig.pair(contact);
  });
  after(() => rig.close());

  const letGo = async (ieee: Ieee, meanwhile = async (): Promise<void> => {}): Promise<void> => {
    rig.air.reach(ieee, false);
    await rig.adapter.forget?.(ieee);
    await meanwhile();
    assert.notEqual(rig.air.nwkOf(ieee), undefined, "it has not heard the leave request");
    for (const said of [rig.found, rig.announced, rig.reports]) said.length = 0;
    rig.air.log.clear();
    rig.air.reach(ieee, true);
  };
  const isGoneUnseen = async (ieee: Ieee): Promise<void> => {
    await rig.until("its leave", () => rig.air.nwkOf(ieee) === undefined);
    await rig.until("the end of its entry", () => !(rig.stored.get("forgotten") as string[]).includes(ieee));
    assert.equal(rig.air.log.count({ from: ieee, cluster: 0x0013 }), 0, "it has not announced itself");
    const said = [...rig.found, ...rig.announced, ...rig.reports];
    assert.ok(said.every(({ native }) => native !== ieee));
  };

  test("is told to leave at its next frame", async () => {
    await letGo(contactIeee);
    contact.alarm(true);
    await isGoneUnseen(contactIeee);
  });

  test("is told to leave also after a restart", async () => {
    await letGo(lampIeee, () => rig.restart());
    lamp.onOff.turn(!lamp.isOn);
    await isGoneUnseen(lampIeee);
  });
});
