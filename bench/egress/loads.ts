// What the processes of the benchmark of egress tell each other.

/** Sites with targets, and what they send. The events of a site are numbered from 0. */
export interface Load {
  /** The address of the receiver; the ids of site and target follow. */
  readonly url: string;
  readonly sites: number;
  readonly targetsOfSite: number;
  readonly fetchMaxEvents: number;
  /** How many events each site has before anything is sent. */
  readonly waiting: number;
}

/** Lets sites change, one after the other in turns. */
export interface Live {
  readonly sites: readonly number[];
  /** Null: all at once. */
  readonly perSecond: number | null;
  readonly events: number;
}

/** What a child is told: to send what waits, or to let sites change. It answers when it has begun, or is done. */
export type Told = "send" | Live;

export function siteName(index: number): string {
  return `site${index}`;
}
