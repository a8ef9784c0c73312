import Type from "typebox";
import type { Decision } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { Id } from "./schema.ts";

/**
 * Fingerprints of the keys that stand in the data folder, so that a lost key is not taken for one that never was. Null
 * for a key that there never was, or that was given up.
 */
export interface AdoptedKeys {
  /** Thumbprint (RFC 7638) of the key that signs for the hub. */
  readonly identity: string | null;
  /** SHA-256 of the hub's own certificate, as pairs of hexadecimal digits with colons. */
  readonly certificate: string | null;
}

export const noAdoptedKeys: AdoptedKeys = { identity: null, certificate: null };

export const KeyUse = Type.Union([Type.Literal("identity"), Type.Literal("certificate")]);
export type KeyUse = Type.Static<typeof KeyUse>;

const AdoptKey = Type.Object({
  type: Type.Literal("ADOPT_KEY"),
  id: Id,
  use: KeyUse,
  fingerprint: Type.Union([Type.String(), Type.Null()]),
});
export type AdoptKey = Type.Static<typeof AdoptKey>;

/** From now on this is the key of the data folder; null when the next start makes one. */
export const KeyAdopted = defineEvent("KeyAdopted", 1, {
  use: KeyUse,
  fingerprint: Type.Union([Type.String(), Type.Null()]),
});
export type KeyAdopted = EventOf<typeof KeyAdopted>;

export function decideAdoptKey({ id, use, fingerprint }: AdoptKey, known: AdoptedKeys): Decision<KeyAdopted> {
  return known[use] === fingerprint ? [] : [{ type: "KeyAdopted", id, use, fingerprint }];
}
