// What the processes of the benchmark of pushes tell each other.

/** The hubs, when all of them are connected. */
export interface PushHubs {
  /** Where the API of the first one is. */
  readonly address: string;
  readonly hubIds: readonly string[];
}

/** Lets devices report. */
export interface Reporting {
  readonly perSecond: number;
  readonly seconds: number;
}

/** A report of a device that its hub has acknowledged. */
export interface Reported {
  readonly hubId: string;
  readonly deviceId: string;
  /** The commit, by which a push can be told to be of it. */
  readonly timestamp: number;
  /** When it was reported, and how long (ms) the hub took to acknowledge it. */
  readonly at: number;
  readonly ackMs: number;
}

/** Milliseconds on the clock that all processes of a machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
