import type { Ieee } from "./air.ts";

/** A frame that was on the air. */
export interface LoggedFrame {
  /** The air's time, ms since the epoch. */
  readonly at: number;
  readonly kind: "unicast" | "group" | "broadcast";
  /** Null: the coordinator. */
  readonly from: Ieee | null;
  /** Null: the coordinator, or the frame is for several, or nobody has its address. */
  readonly to: Ieee | null;
  readonly group: number | null;
  /** Endpoint of the device, 0 for ZDO; 255 stands for all. */
  readonly endpoint: number;
  readonly profile: number;
  readonly cluster: number;
  readonly payload: Uint8Array;
}

/** What was on the air, in order: once per transmission, however many hear it. */
export class FrameLog {
  readonly frames: LoggedFrame[] = [];

  /** The frames whose fields are as said, such as `{ kind: "group", from: null, cluster: 6 }`. */
  of(wanted: Partial<LoggedFrame>): readonly LoggedFrame[] {
    const fields = Object.entries(wanted) as [keyof LoggedFrame, unknown][];
    return this.frames.filter((frame) => fields.every(([name, value]) => frame[name] === value));
  }

  count(wanted: Partial<LoggedFrame>): number {
    return this.of(wanted).length;
  }

  clear(): void {
    this.frames.length = 0;
  }
}
