// A home of many lamps, as the log of a hub that has run for a while would hold it.
import type { PollRequest, Viewer } from "@ledge/kernel";
import { memoryLog } from "@ledge/log";
import type { Commit, LoggedEvent } from "@ledge/model";
import { roles } from "@ledge/model";
import { openTestKernel, type TestKernel } from "@ledge/testkit";

export const owner: Viewer = { role: roles.OWNER_ADMIN, user: "owner", since: 0 };

/** Events per commit of the history: as when adapters announce all at once. */
const commitEvents = 500;

export const deviceId = (index: number): string =>
  `00000000-0000-4000-9000-${String(index).padStart(12, "0")}`;

/** The history of `devices` lamps, one commit after the other from timestamp 1 on. */
export function* history(devices: number, perCommit: number = commitEvents): Generator<Commit> {
  for (let from = 0, timestamp = 1; from < devices; from += perCommit, timestamp++) {
    const events: LoggedEvent[] = [];
    for (let index = from; index < Math.min(from + perCommit, devices); index++) events.push(added(index));
    yield { timestamp, events };
  }
}

function added(index: number): LoggedEvent {
  return {
    type: "DeviceAdded",
    id: deviceId(index),
    version: 1,
    origin: "system",
    depth: 0,
    name: `Lamp ${index}`,
    class: "LIGHT",
    capabilities: ["DEVICE", "ON_OFF", "BRIGHTNESS"],
    manufacturer: "Bench",
    model: "L1",
    extras: {},
  } as LoggedEvent;
}

/** A report that a lamp now shines at `level` hundredths. */
export function report(index: number, level: number): { type: string; [field: string]: unknown } {
  const attributes = { isOn: true, brightness: (level % 100) / 100 };
  return { type: "REPORT_DEVICE", id: deviceId(index), attributes, at: 1_768_000_000_000 + level };
}

export interface Home extends TestKernel {
  /** Asks for what has changed since the cursor, as the owner. */
  poll(ts: number): Uint8Array;
  /** Cursors by the number of objects that have changed since: 0, 1, 10, 100, 1000. */
  readonly cursors: ReadonlyMap<number, number>;
}

/** Numbers of changed objects that polls are measured with. */
export const changedCounts = [0, 1, 10, 100, 1000] as const;

/** Opens a home in memory in which, most recently, 900, 90, 9 and 1 different lamps have reported. */
export async function openHome(devices: number): Promise<Home> {
  const log = memoryLog();
  for (const commit of history(devices)) await log.append(commit);
  const opened = openTestKernel({ log });
  const { kernel, clock } = opened;
  const cursors = new Map([[0, 0]]);
  let next = 0;
  for (const count of [900, 90, 9, 1]) {
    const total = 1000 - next;
    cursors.set(total, kernel.timestamp);
    clock.advance(1);
    const reports = Array.from({ length: count }, () => report(next, ++next));
    const outcome = await opened.submit(reports, { origin: "device" });
    if (!outcome.accepted) throw new Error(outcome.rejection.message);
  }
  cursors.set(0, kernel.timestamp);
  const poll = (ts: number): Uint8Array => {
    const request: PollRequest = { viewer: owner, cursors: { ts }, language: "en" };
    const answer = kernel.poll(request);
    if (answer instanceof Promise) throw new Error("the poll was to be answered at once");
    return answer;
  };
  return { ...opened, poll, cursors };
}
