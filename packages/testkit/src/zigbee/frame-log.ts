import type { Ieee } from "./air.ts";

/** A frame that was sent on the air. */
export interface LoggedFrame {
  /** The air's time, ms since the epoch. */
  readonly at: number;
  readonly kind: "unicast" | "group" | "broadcast" | "inter-PAN";
  /** Null for the coordinator. */
  readonly from: Ieee | null;
  /** Null for the coordinator, for several receivers, or when no device has the address. */
  readonly to: Ieee | null;
  readonly group: number | null;
  /** Endpoint of the device: 0 for ZDO, 255 for all. */
  readonly endpoint: number;
  readonly profile: number;
  readonly cluster: number;
  readonly payload: Uint8Array;
}

/** The frames on the air, in order: one per transmission, however many devices hear it. */
export class FrameLog {
  readonly frames: LoggedFrame[] = [];

  /** Returns the frames with the given fields, such as `{ kind: "group", from: null, cluster: 6 }`. */
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
