import type { AdapterStore } from "@ledge/port";

const keysKey = "keys";
const keyBytes = 16;

/** The keys of a network, by the library's names of security classes. Long Range has keys of its own. */
const classNames = ["S0_Legacy", "S2_Unauthenticated", "S2_Authenticated", "S2_AccessControl"] as const;
const longRangeNames = ["S2_Authenticated", "S2_AccessControl"] as const;

type Key = Uint8Array<ArrayBuffer>;

/** The keys as the library takes them. */
export interface NetworkKeys {
  readonly securityKeys: Readonly<Record<(typeof classNames)[number], Key>>;
  readonly securityKeysLongRange: Readonly<Record<(typeof longRangeNames)[number], Key>>;
}

/** Names of keys in the store. */
const storedNames = [...classNames, ...longRangeNames.map((name) => `LongRange_${name}` as const)];

/**
 * Returns the keys of the network. The first call makes them and stores them, which seals them in the log
 * (decision 25); it resolves when they are durable, because devices cannot be reached without them.
 * @param random returns that many random bytes
 */
export async function networkKeys(
  store: AdapterStore,
  random: (bytes: number) => Uint8Array,
): Promise<NetworkKeys> {
  const stored = store.get(keysKey) as Readonly<Record<string, string>> | undefined;
  const hex =
    stored ??
    Object.fromEntries(storedNames.map((name) => [name, Buffer.from(random(keyBytes)).toString("hex")]));
  if (stored === undefined) await store.put(keysKey, hex);
  const key = (name: string): Key => Uint8Array.from(Buffer.from(hex[name] ?? "", "hex"));
  return {
    securityKeys: {
      S0_Legacy: key("S0_Legacy"),
      S2_Unauthenticated: key("S2_Unauthenticated"),
      S2_Authenticated: key("S2_Authenticated"),
      S2_AccessControl: key("S2_AccessControl"),
    },
    securityKeysLongRange: {
      S2_Authenticated: key("LongRange_S2_Authenticated"),
      S2_AccessControl: key("LongRange_S2_AccessControl"),
    },
  };
}
