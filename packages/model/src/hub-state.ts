import type { AdoptedKeys } from "./adopted-keys.ts";
import type { Location } from "./zone-locations.ts";

/** The hub itself. `GET /hub` serves it as HUB_META_DATA with what only the running process knows. */
export interface Hub {
  readonly id: string;
  readonly name: string;
  readonly state: "factory_new" | "claimed";
  readonly owner: string | null;
  readonly timezone: string;
  /** Null for the city of the time zone. */
  readonly location: Location | null;
  readonly housetype: string;
  readonly features: readonly number[];
  /** What of `features` activation codes gave; the others are the profile's. */
  readonly activated: readonly number[];
  /** Activation codes that were used and have not expired. */
  readonly usedCodes: readonly UsedCode[];
  /** Colours that users keep, `#rrggbb`, the oldest first. */
  readonly colors: readonly string[];
  /** Null before it has heard of one. */
  readonly cloud: TrustedCloud | null;
  readonly keys: AdoptedKeys;
  /** When it was last restored from a backup (ms); 0 for never. */
  readonly generation: number;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface States {
    hub: Hub;
  }
}

/** A used activation code; it is remembered until it expires (ms), when it is refused for that. */
export interface UsedCode {
  readonly serial: string;
  readonly expires: number;
}

/** The cloud that the hub belongs to, and what it has last heard from it. */
export interface TrustedCloud {
  readonly url: string;
  /** Its name in what it signs. */
  readonly issuer: string;
  /** By which it signs (Ed25519). */
  readonly keys: readonly PublicKey[];
  /** Number of the newest list of users that was taken over; 0 before the first. */
  readonly seq: number;
}

export interface PublicKey {
  readonly kid: string;
  /** RFC 8037. */
  readonly x: string;
}
