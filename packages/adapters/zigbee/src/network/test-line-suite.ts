import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CoordinatorStick, SimulatedKind } from "@ledge/testkit/zigbee";
import type { Home } from "./test-home.ts";
import { formHome, memberEndpoint } from "./test-home.ts";
import type { NetworkRig } from "./test-network.ts";

/** A home whose stick is open. */
export interface OpenLine {
  readonly home: Home;
  readonly rig: NetworkRig;
  /** Switches a device and asserts that it obeys. */
  readonly obeys: (isOn: boolean) => Promise<void>;
}

/**
 * Tests what commands survive on the line to a stick.
 * @param damaged how many damaged frames of the stick in a row
 * @param more tests of what else the stick survives; the line is open when they run
 */
export function lineSuite(kind: SimulatedKind, damaged: number, more: (line: OpenLine) => void): void {
  describe(`the line to a simulated ${kind} stick`, () => {
    const line = {} as OpenLine;
    before(async () => {
      Object.assign(line, await openLine(kind));
    });
    after(async () => {
      await line.rig.close();
      await line.home.close();
    });
    testDisturbances(line, damaged);
    more(line);
  });
}

async function openLine(kind: SimulatedKind): Promise<OpenLine> {
  const home = await formHome(kind);
  await home.plug(home.served.stick);
  const rig = home.rig();
  await rig.up();
  const obeys = async (isOn: boolean): Promise<void> => {
    await memberEndpoint(home, await rig.opened())?.command("genOnOff", isOn ? "on" : "off", {});
    assert.equal(home.members[0]?.isOn, isOn);
  };
  return { home, rig, obeys };
}

function testDisturbances(line: OpenLine, damaged: number): void {
  const disturbances: readonly (readonly [
    what: string,
    disturb: (faults: CoordinatorStick["faults"]) => void,
  ])[] = [
    ["damaged frames of the stick", (faults) => faults.garble(damaged)],
    ["a lost frame of the stick", (faults) => faults.lose(1)],
    ["damaged bytes of the host", (faults) => faults.disturbHost("garbled", 1)],
    [
      "bytes in single pieces",
      (faults) => (faults.pieces = (bytes) => [...bytes].map((byte) => Uint8Array.of(byte))),
    ],
    ["late answers", (faults) => (faults.delayMs = 300)],
  ];
  for (const [what, disturb] of disturbances)
    test(`commands survive ${what}`, async (t) => {
      const { rig, home, obeys } = line;
      const { faults } = home.served.stick;
      t.after(() => faults.clear());
      const { controller } = rig.network;
      disturb(faults);
      await obeys(true);
      await obeys(false);
      assert.equal(rig.network.controller, controller, "the stick stays open");
    });
}
