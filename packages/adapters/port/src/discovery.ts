import { isIP } from "node:net";
import Type from "typebox";
import { refuseSetting } from "./settings.ts";

const strict = { additionalProperties: false } as const;

/** The setting `discovery`: where devices are asked over UDP to make themselves known; false: nowhere. */
export const Discovery = Type.Union([
  Type.Literal(false),
  Type.Object(
    { address: Type.String(), port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })) },
    strict,
  ),
]);

/** A group of IPv4 in which devices listen. */
export interface DiscoveryGroup {
  readonly address: string;
  readonly port: number;
}

/**
 * Returns the group that is asked; undefined: none is.
 * @param discovery the setting, which fits its schema; undefined: nobody has set it
 * @param usual the group of the protocol
 * @throws AdapterError `settings` for an address that is not of IPv4
 */
export function discoveryGroup(
  discovery: Type.Static<typeof Discovery> | undefined,
  usual: DiscoveryGroup,
): DiscoveryGroup | undefined {
  if (discovery === false) return undefined;
  if (discovery === undefined) return usual;
  const { address, port = usual.port } = discovery;
  if (isIP(address) !== 4) refuseSetting("discovery.address", "must be an IPv4 address");
  return { address, port };
}
