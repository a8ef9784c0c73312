import type { Lamp, Wanted } from "./lamp.ts";

/** Speaks one of the two interfaces of a bridge. */
export interface Dialect {
  /**
   * Follows the bridge until the connection is lost.
   * @param shown all that the bridge has, at first and after each change
   * @throws BridgeFault when it is lost, UnknownKey, or the reason of the signal
   */
  follow(shown: (lamps: readonly Lamp[]) => void, signal: AbortSignal): Promise<void>;
  /** Reads all that the bridge has. @throws as `follow` */
  read(signal: AbortSignal): Promise<readonly Lamp[]>;
  /** Resolves when the bridge has taken a command. @throws as `follow`, and Refusal */
  set(lamp: Lamp, wanted: Wanted, signal: AbortSignal): Promise<void>;
  /** Makes a lamp show itself. @throws as `set` */
  identify(lamp: Lamp, signal: AbortSignal): Promise<void>;
}
