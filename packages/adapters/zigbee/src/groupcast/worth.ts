/**
 * How long a command to one lamp keeps the way to it busy, ms: 2.1 on a serial line of 115,200 baud, then the frame
 * and the answer of 3.7 each on the air (IEEE 802.15.4 at 250 kbit/s: 54 octets of 32 us, back-off, acknowledgement).
 */
const singleMs = 9.5;
/** A frame to a group reaches all lamps in one hop at once. */
const castMs = 5;
/** A lag that people see between the first lamp and the last. */
const seenMs = 100;

/** What a command to a group would cost. */
export interface CastChoice {
  /** How many devices the command is for. */
  readonly members: number;
  /** How many frames a cast takes. */
  readonly frames: number;
  /** How many broadcasts the network still passes on, see `Broadcasts`. */
  readonly left: number;
}

/**
 * Whether to tell a group by frames to all instead of one by one. One by one is surer, as each device acknowledges;
 * a cast is faster, but the network passes on few. So the last casts are kept for groups that would visibly
 * lag.
 */
export function isCastWorth({ members, frames, left }: CastChoice): boolean {
  if (frames > left || members < 2) return false;
  const savedMs = frames * (members * singleMs - castMs);
  const isPlenty = left - frames >= 4;
  return isPlenty ? savedMs > 0 : savedMs >= seenMs;
}
