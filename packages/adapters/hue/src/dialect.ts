import type { Lamp, Wanted } from "./lamp.ts";
import type { Press, Thing } from "./sensor.ts";

/** Hears of what a bridge has. */
export interface Follower {
  /** All of it, at first and after each change. */
  readonly shown: (things: readonly Thing[]) => void;
  readonly pressed: (press: Press) => void;
}

/** Speaks one of the two interfaces of a bridge. */
export interface Dialect {
  /**
   * Follows the bridge until the connection is lost.
   * @throws BridgeFault when it is lost, UnknownKey, or the reason of the signal
   */
  follow(follower: Follower, signal: AbortSignal): Promise<void>;
  /** Reads all that the bridge has. @throws as `follow` */
  read(signal: AbortSignal): Promise<readonly Thing[]>;
  /** Resolves when the bridge has taken a command. @throws as `follow`, and Refusal */
  set(lamp: Lamp, wanted: Wanted, signal: AbortSignal): Promise<void>;
  /** Makes a lamp show itself. @throws as `set` */
  identify(lamp: Lamp, signal: AbortSignal): Promise<void>;
}
