import Type from "typebox";
import type { Decision } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { Id } from "./schema.ts";

/**
 * The fingerprints of the keys in the data folder, by which the hub tells a lost key from one that never
 * existed. Null for a key that never existed or was given up.
 */
export interface AdoptedKeys {
  /** The thumbprint (RFC 7638) of the key that signs for the hub. */
  readonly identity: string | null;
  /** The SHA-256 of the hub's own certificate, as pairs of hexadecimal digits with colons. */
  readonly certificate: string | null;
}

/** No keys yet. */
export const noAdoptedKeys: AdoptedKeys = { identity: null, certificate: null };

/** The use of a key. */
export const KeyUse = Type.Union([Type.Literal("identity"), Type.Literal("certificate")]);
export type KeyUse = Type.Static<typeof KeyUse>;

const AdoptKey = Type.Object({
  type: Type.Literal("ADOPT_KEY"),
  id: Id,
  use: KeyUse,
  fingerprint: Type.Union([Type.String(), Type.Null()]),
});
export type AdoptKey = Type.Static<typeof AdoptKey>;

/** The data folder has a new key; null when the next start makes one. */
export const KeyAdopted = defineEvent("KeyAdopted", 1, {
  use: KeyUse,
  fingerprint: Type.Union([Type.String(), Type.Null()]),
});
export type KeyAdopted = EventOf<typeof KeyAdopted>;

/** Decides which key the data folder has; no event when the hub knows it already. */
export function decideAdoptKey({ id, use, fingerprint }: AdoptKey, known: AdoptedKeys): Decision<KeyAdopted> {
  return known[use] === fingerprint ? [] : [{ type: "KeyAdopted", id, use, fingerprint }];
}
