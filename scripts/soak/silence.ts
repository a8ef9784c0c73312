// Z-Wave devices that are silent for real minutes, because the library's clock cannot be moved; docs/soak.md.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Alarm, Device } from "@ledge/model";
import { plans, reports, serveStick, ZWaveStick } from "@ledge/testkit/zwave";
import { Caller } from "../load/caller.ts";
import { LoadedHub } from "../load/hub.ts";
import { secondsSince } from "../seconds-since.ts";
import { pairNodes } from "./zwave.ts";

/** What was seen; times in seconds. */
export interface SilenceResult {
  readonly silence: number;
  /** From the loss of power to the report that a lamp which is commanded is unreachable. */
  readonly unreachableAfter: number;
  /** Whether the hub took a lamp that nobody commanded for unreachable, too. */
  readonly idleUnreachable: boolean;
  /** Alarms about unreachable devices meanwhile, and how many of them were open a moment after the return. */
  readonly alarms: number;
  readonly alarmsLeft: number;
  /** From the return of power, of which the lamp tells the stick, to the report that it is reachable. */
  readonly reachableAfter: number;
}

const lookEveryMs = 500;
/** Between two commands to the lamp. */
const commandEveryMs = 5000;
/** How long a device that has power again may be unreachable. */
const patienceMs = 30_000;

/**
 * Takes the power of two lamps, one of which is commanded meanwhile, beside a remote that sleeps.
 * @throws AssertionError when the hub takes the commanded lamp for reachable, the remote for unreachable, or does not see that
 *   the lamp is back
 */
export async function runSilence(ms: number, tell: (line: string) => void): Promise<SilenceResult> {
  const served = await serveStick(await ZWaveStick.create());
  const hub = await LoadedHub.start({ zwave: { radio: { path: served.path, stick: "zwave" } } });
  try {
    return await new Silence(served.stick, new Caller(hub.port, await hub.key(), 0), tell).run(ms);
  } finally {
    await hub.stop();
    await served.close();
  }
}

class Silence {
  readonly #stick: ZWaveStick;
  readonly #caller: Caller;
  readonly #tell: (line: string) => void;

  constructor(stick: ZWaveStick, caller: Caller, tell: (line: string) => void) {
    this.#stick = stick;
    this.#caller = caller;
    this.#tell = tell;
  }

  async run(ms: number): Promise<SilenceResult> {
    const stick = this.#stick;
    this.#tell("pairing");
    for (const plan of [plans.lamp(), plans.lamp(), plans.remote()]) stick.inclusion.seek(plan);
    const [lamp, idle, remote] = await pairNodes((...asked) => this.#call(...asked), 3);
    assert.ok(lamp && idle && remote);
    this.#tell(`silence of ${ms / 1000} s`);
    const began = performance.now();
    for (const { nodeId } of [lamp, idle]) stick.powerNode(nodeId, false);
    let unreachableAfter: number | undefined;
    for (let commands = 0; performance.now() - began < ms;) {
      if (performance.now() - began >= commands * commandEveryMs) {
        const type = commands % 2 === 0 ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF";
        await this.#caller.call("PUT", "/cc/1.14/devices/command", [{ type, id: lamp.id }]);
        commands += 1;
      }
      if (!(await this.#reaches(lamp.id))) unreachableAfter ??= secondsSince(began);
      assert.ok(await this.#reaches(remote.id), "a remote that sleeps was taken for unreachable");
      await sleep(lookEveryMs);
    }
    assert.ok(unreachableAfter !== undefined, "a silent lamp was taken for reachable");
    assert.ok(!(await this.#reaches(lamp.id)), "a silent lamp became reachable again");
    const [idleUnreachable, alarms] = [!(await this.#reaches(idle.id)), await this.#alarms(() => true)];
    this.#tell("the power is back");
    const back = performance.now();
    for (const { nodeId } of [lamp, idle]) {
      stick.powerNode(nodeId, true);
      await stick.says(nodeId, reports.battery(100));
    }
    while (!(await this.#reaches(lamp.id))) {
      assert.ok(performance.now() - back < patienceMs, "a lamp that is back is still unreachable");
      await sleep(lookEveryMs);
    }
    const reachableAfter = secondsSince(back);
    // An alarm closes in a commit of its own.
    await sleep(lookEveryMs);
    const alarmsLeft = await this.#alarms(({ closed }) => !closed);
    return { silence: ms / 1000, unreachableAfter, idleUnreachable, alarms, alarmsLeft, reachableAfter };
  }

  async #reaches(id: string): Promise<boolean> {
    const known = (await this.#call("GET", "/devices")) as Record<string, Device>;
    return known[id]?.state["reachable"] === true;
  }

  async #alarms(counts: (alarm: Alarm) => boolean): Promise<number> {
    const known = Object.values((await this.#call("GET", "/alarms")) as Record<string, Alarm>);
    return known.filter((alarm) => alarm.kind.endsWith("UNREACHABLE") && counts(alarm)).length;
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text } = await this.#caller.call(method, `/cc/1.14${path}`, body);
    assert.equal(status, 200, text);
    return JSON.parse(text) as unknown;
  }
}
