import { setImmediate } from "node:timers/promises";
import type { ChangeEvent, ChangeLine, ChangesEnd, ChangesHead } from "@ledge/link";
import type { TestKernel } from "@ledge/testkit";
import { Changes } from "./changes.ts";

/** What a cloud knows of a home that it follows. */
export class Follower {
  readonly devices = new Map<string, object>();
  readonly alarms = new Map<string, object>();
  readonly events: ChangeEvent[] = [];
  cursor: string | undefined;
  share: ChangesHead["share"] | undefined;
  fulls = 0;
  more = false;

  /** Takes an answer. Like a cloud, it takes none without an end. */
  take([head, ...rest]: readonly object[]): void {
    const { share, full } = head as ChangesHead;
    const { next, more } = rest.pop() as ChangesEnd;
    this.share = share;
    if (full) this.fulls++;
    if (full || share === "none") {
      this.devices.clear();
      this.alarms.clear();
    }
    for (const line of rest as ChangeLine[]) {
      if ("event" in line) this.events.push(line.event);
      else if ("device" in line) this.devices.set(line.device.id, line.device);
      else if ("alarm" in line) this.alarms.set(line.alarm.id, line.alarm);
      else (line.removed.kind === "device" ? this.devices : this.alarms).delete(line.removed.id);
    }
    this.cursor = next;
    this.more = more;
  }
}

/** Makes the changes of a hub in memory. */
export function changesOf({ kernel, clock }: TestKernel, hubId: string): Changes {
  return new Changes({ kernel, hubId, clock, pause: () => setImmediate(), leftOut: () => {} });
}

/** Returns the lines of an answer that needs no wait. */
export async function answerOf(
  changes: Changes,
  after: string | undefined,
  max = 1000,
): Promise<readonly object[]> {
  const lines: object[] = [];
  const { signal } = new AbortController();
  for await (const line of changes.lines({ after, max, waitMs: 0 }, signal)) lines.push(line);
  return lines;
}
