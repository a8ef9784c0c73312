import type { AdoptedKeys } from "./adopted-keys.ts";
import type { Share } from "./sharing.ts";
import type { Location } from "./zone-locations.ts";

/** The hub itself. `GET /hub` shows it as HUB_META_DATA, together with what only the process knows. */
export interface Hub {
  readonly id: string;
  readonly name: string;
  readonly state: "factory_new" | "claimed";
  readonly owner: string | null;
  readonly timezone: string;
  /** Null: the city of the time zone. */
  readonly location: Location | null;
  readonly housetype: string;
  readonly features: readonly number[];
  /** The part of `features` from activation codes; the others come from the profile. */
  readonly activated: readonly number[];
  /** Features that the hub has beside `features`, switched off. */
  readonly switchedOff: readonly number[];
  /** Activation codes that were used and have not expired yet. */
  readonly usedCodes: readonly UsedCode[];
  /** Colours that users have stored, `#rrggbb`, oldest first. */
  readonly colors: readonly string[];
  /** Null until it has heard from a cloud. */
  readonly cloud: TrustedCloud | null;
  readonly keys: AdoptedKeys;
  readonly share: Share;
  /** When it was last restored from a backup (ms); 0 for never. */
  readonly generation: number;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface States {
    hub: Hub;
  }
}

/** A used activation code, remembered until it expires (ms). */
export interface UsedCode {
  readonly serial: string;
  readonly expires: number;
}

/** The cloud that the hub belongs to, and what it last heard from it. */
export interface TrustedCloud {
  readonly url: string;
  /** Its name in what it signs. */
  readonly issuer: string;
  /** The keys with which it signs (Ed25519). */
  readonly keys: readonly PublicKey[];
  /** The number of the newest list of users that was applied; 0 before the first. */
  readonly seq: number;
}

export interface PublicKey {
  readonly kid: string;
  /** RFC 8037. */
  readonly x: string;
}
