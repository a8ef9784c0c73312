import { checkedSetting, refuseDuplicates, refuseSetting } from "@ledge/port";
import Type from "typebox";
import { originsOf } from "./address.ts";

const strict = { additionalProperties: false } as const;
/** The key of an application at a bridge. */
export const appKeyPattern = "^[A-Za-z0-9-]{10,64}$";

const Bridge = Type.Object(
  {
    address: Type.String({ minLength: 1, maxLength: 64 }),
    key: Type.Optional(Type.String({ pattern: appKeyPattern })),
  },
  strict,
);

const Root = Type.Object(
  {
    bridges: Type.Optional(Type.Array(Bridge, { maxItems: 8 })),
    groups: Type.Optional(Type.Boolean()),
    pollMs: Type.Optional(Type.Integer({ minimum: 500, maximum: 60_000 })),
  },
  strict,
);

/** A bridge that the profile names. */
export interface BridgeSettings {
  /** Where it may answer, the safest first. */
  readonly origins: readonly string[];
  /** A key that was made before; without one the bridge has to be paired. */
  readonly key: string | undefined;
}

export interface Settings {
  readonly bridges: readonly BridgeSettings[];
  /** Whether rooms and zones of a bridge are devices, too. */
  readonly groups: boolean;
  /** How often a bridge without an event stream is read. */
  readonly pollMs: number;
}

/**
 * Validates the settings and fills in defaults.
 * @throws AdapterError `settings`; the message starts with the path of the wrong field
 */
export function readSettings(settings: unknown): Settings {
  const { bridges = [], groups = true, pollMs = 2000 } = checkedSetting(Root, settings, "");
  refuseDuplicates(
    bridges.map(({ address }) => address),
    "bridges",
    "address",
  );
  return {
    bridges: bridges.map(({ address, key }, index) => {
      const origins = originsOf(address);
      if (origins === undefined)
        return refuseSetting(
          `bridges[${index}].address`,
          "must be an IP address of a private network, or an http: or https: URL of one",
        );
      return { origins, key };
    }),
    groups,
    pollMs,
  };
}
