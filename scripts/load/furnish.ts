// Fills the categories of the poll that neither devices nor clients fill, as in a real home.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { categories } from "@ledge/model";
import type { PollAnswer } from "@ledge/testkit";
import type { Caller } from "./caller.ts";
import type { LoadedHub } from "./hub.ts";

/** How many rooms, groups, scenes and rules to create. */
const ofEach = 20;
const lookEveryMs = 500;
const looksMax = 240;

export interface Lamp {
  readonly id: string;
  readonly reachable: boolean;
}

/**
 * Creates rooms, zones, groups, scenes with presets, and active rules; an alert, by a scene with a lamp that does
 * not answer; an alarm, by a recovery key. Resolves when every category of a full poll has objects.
 */
export async function furnish(hub: LoadedHub, owner: Caller, lamps: readonly Lamp[]): Promise<void> {
  const send = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const { status, text } = await owner.call(method, `/cc/1.14${path}`, body);
    assert.equal(status, 200, text);
    return JSON.parse(text) as unknown;
  };
  const each = <T>(make: (lamp: string, number: number) => T): T[] =>
    Array.from({ length: ofEach }, (_, number) => make(lamps[number % lamps.length]?.id ?? "", number));
  const on = (lamp: string): object => ({ targetIds: [lamp], state: { isOn: true } });
  await send("PUT", "/hub/autoconfig", {
    name: "A full house",
    rooms: { names: each((_, number) => `Room ${number}`), clear: false },
    rules: each((lamp, number) => ({
      config: {
        name: `Rule ${number}`,
        configType: "AUTO_OFF",
        inputs: {},
        outputs: { devices: [lamp] },
        extras: { after: [{ type: "TIME_DELTA_MS", value: 3_600_000 }] },
      },
      on_config: { scenes: [], timers: [] },
    })),
  });
  const rules = Object.keys((await send("GET", "/rules", undefined)) as object);
  await send(
    "PUT",
    "/rules/command",
    rules.map((id) => ({ type: "RULE_ON_COMMAND", id })),
  );
  await send(
    "PUT",
    "/zones",
    each((_, number) => ({ name: `Zone ${number}` })),
  );
  await send(
    "PUT",
    "/groups",
    each((lamp, number) => ({ name: `Group ${number}`, members: [lamp] })),
  );
  await send(
    "PUT",
    "/scenes",
    each((lamp, number) => ({ name: `Scene ${number}`, presets: { on: on(lamp) } })),
  );
  const silent = lamps.find(({ reachable }) => !reachable);
  assert.ok(silent, "every lamp answers");
  const scene = { name: "Incomplete", presets: { on: on(silent.id) }, isOn: true };
  await send("PUT", "/scenes", [scene]);
  await hub.console("POST", "/console/recover");
  for (let look = 0; ; look++) {
    const missing = await emptyCategories(owner);
    if (missing.length === 0) return;
    assert.ok(hub.runs && look < looksMax, `without objects: ${missing.join(", ")}`);
    await sleep(lookEveryMs);
  }
}

/** Returns the types of the categories without objects. */
async function emptyCategories(caller: Caller): Promise<string[]> {
  const { status, text } = await caller.call("GET", "/cc/1.14/hub/poll?ts=0");
  assert.equal(status, 200, text);
  const { polls } = JSON.parse(text) as PollAnswer;
  const isEmpty = ({ type, field }: (typeof categories)[number]): boolean =>
    polls.every((delta) => delta.type !== type || Object.keys(delta[field] as object).length === 0);
  return categories.filter(isEmpty).map(({ type }) => type);
}
