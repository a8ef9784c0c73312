import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "./client.ts";
import type { WriteLog } from "./write-log.ts";

/** A change that a client was told is done, when the log of writes had so many entries. */
export interface Acknowledged {
  readonly name: string;
  readonly entries: number;
}

/** Seconds of load that leave windows enough for so many cuts. */
export function loadSecondsFor(cuts: number): number {
  return 60 + cuts / 5;
}

/**
 * Changes rooms and switches a device until the time is over.
 * @param lamp its id
 * @returns what was acknowledged, in order
 */
export async function changes(
  client: Client,
  lamp: string | undefined,
  record: WriteLog,
  seconds: number,
): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const end = performance.now() + seconds * 1000;
  let number = 0;
  const acknowledge = (...names: readonly string[]): void => {
    const { count } = record;
    acknowledged.push(...names.map((name) => ({ name, entries: count })));
  };
  const renaming = async (rooms: number, pauseMs: number): Promise<void> => {
    const name = (): string => `cut ${number++}`;
    const first = Array.from({ length: rooms }, name);
    await client.call(
      "PUT",
      "/rooms",
      first.map((one) => ({ type: "CMD_ROOM", name: one })),
    );
    acknowledge(...first);
    const all = await client.call<Record<string, { id: string; name: string }>>("GET", "/rooms");
    const ids = Object.values(all).flatMap((room) => (first.includes(room.name) ? [room.id] : []));
    while (performance.now() < end) {
      const names = ids.map(name);
      const rename = ids.map((room, index) => ({ type: "CMD_ROOM", id: room, name: names[index] }));
      await client.call("PUT", "/rooms", rename);
      acknowledge(...names);
      await sleep(pauseMs);
    }
  };
  const switching = async (): Promise<void> => {
    if (lamp === undefined) return;
    for (let isOn = true; performance.now() < end; isOn = !isOn) {
      const type = isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF";
      await client.call("PUT", "/devices/command", [{ type, id: lamp }]);
      await sleep(1000);
    }
  };
  // One change in a commit, and as many as make it long; all below the limit of 1,000 commands a minute.
  await Promise.all([renaming(1, 300), renaming(60, 6000), switching()]);
  return acknowledged;
}
