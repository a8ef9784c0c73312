import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AdapterError, systemClock } from "@ledge/port";
import { plans } from "@ledge/testkit/zwave";
import { protocolCommandTypes } from "./protocol-commands.ts";
import { codeOf, type Rig, startRig } from "./test-rig.ts";

/** Fields of commands as a hostile or confused client sends them. */
const hostile: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { nodeId: 99, parameter: 1, size: 1, value: 1, default: false },
  { nodeId: 1, parameter: 1, size: 1, value: 1 },
  { nodeId: "", parameter: "x", confirm: 5, dsk: [], qr: {}, file: 7, network: 3 },
  { nodeId: -1, parameter: 1e9, size: 9, value: "x", default: "yes", security: {}, securityClasses: 1 },
  { nodeId: 2 ** 53, parameter: Number.NaN, pin: {}, askKeys: "yes", confirm: null, file: "../../x" },
  {
    nodeId: null,
    parameter: null,
    confirm: "x".repeat(5000),
    file: "",
    network: "zzzz",
    dsk: "1".repeat(5000),
  },
  { nodeId: [2], parameter: [1], confirm: { toString: 1 }, network: {}, file: null, qr: "90\u0000" },
];
/** How long a command may take that cannot be carried out. */
const answeredWithinMs = 20_000;

/** The commands that do something lasting without a word that confirms it. */
const isHarmless = (type: string): boolean => !["ZWAVE_START_EXCLUSION", "ZWAVE_BACK_UP"].includes(type);

describe("commands of a client that knows no better", () => {
  let home: Rig;
  /** Whether nobody waits for the network. */
  let isHasty = false;
  before(async () => {
    const soon = (ms: number, callback: () => void) => systemClock.after(isHasty ? 0 : ms, callback);
    home = await startRig([plans.wallPlug()], { clock: { now: () => systemClock.now(), after: soon } });
  });
  after(() => home.close());

  /** Sends each command with all fields. Returns what was neither answered nor refused in words. */
  async function bad(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const type of protocolCommandTypes.filter(isHarmless)) {
      for (const fields of hostile) {
        const told = await Promise.race([
          home.command(type, fields).then(
            () => null,
            (error: unknown) =>
              error instanceof AdapterError && error.message !== "" ? null : `threw ${String(error)}`,
          ),
          sleep(answeredWithinMs).then(() => "never answered"),
        ]);
        if (told !== null) found.push(`${type} ${JSON.stringify(fields).slice(0, 80)}: ${told}`);
      }
    }
    return found;
  }

  test("are answered or refused in words while the network is up, and leave it as it is", async () => {
    assert.deepEqual(await bad(), []);
    await home.command("ZWAVE_CANCEL_INCLUSION");
    await home.command("ZWAVE_CANCEL_HEAL");
    const native = await home.pair(plans.wallPlug());
    await home.set(native, { isOn: true });
    await home.untilReported(native, "isOn", true);
  });

  test("are answered or refused in words while the stick is away", async () => {
    await home.served.unplug();
    await home.until("the end of the network", () => home.complaints.length > 0);
    assert.deepEqual(await bad(), []);
    await home.served.plug();
  });

  test("are answered or refused in words by a stick that is half open: it takes all and says nothing", async () => {
    home.stick.faults.isSilent = true;
    isHasty = true;
    await home.restart();
    isHasty = false;
    assert.deepEqual(await bad(), []);
    assert.equal(await codeOf(home.command("ZWAVE_HARD_RESET")), "unreachable");
    home.stick.faults.isSilent = false;
  });
});
