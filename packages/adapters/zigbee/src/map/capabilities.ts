import type { Capability } from "@ledge/model";
import type { EndpointFacts, NodeFacts } from "./facts.ts";
import type { KnownFeatures } from "./known-features.ts";
import { rowsOf } from "./remote.ts";

/** Capabilities that definitions never mention; clusters do. */
const undefinable: ReadonlySet<Capability> = new Set(["COLOR_LOOP", "RSSI"]);

/**
 * Returns the capabilities of a unit besides CONFIGURABLE: those of its definition, or else of its clusters,
 * plus those common to every kind.
 * @param generic the capabilities of its clusters
 */
export function capabilitiesOf(
  node: NodeFacts,
  endpoints: readonly EndpointFacts[],
  generic: readonly Capability[],
  known: KnownFeatures | undefined,
): readonly Capability[] {
  const had = known
    ? [
        ...known.capabilities,
        ...generic.filter((capability) => undefinable.has(capability)),
        ...(isRemote(known) ? remoteOf(node, endpoints) : []),
      ]
    : [...generic, ...genericRemote(node, endpoints, generic)];
  const isLamp = had.includes("CONTROL_LIGHT");
  return [...new Set<Capability>(["DEVICE", ...had, ...common(endpoints, isLamp)])];
}

/** Locks report their users as actions: those are not keys. */
function isRemote({ actions, capabilities }: KnownFeatures): boolean {
  return actions.buttons.length > 0 && !capabilities.includes("LOCK");
}

/** Capabilities that every kind of device may have. */
function common(endpoints: readonly EndpointFacts[], isLamp: boolean): readonly Capability[] {
  const identifies = endpoints.some(({ input }) => input.includes(0x0003));
  return [
    ...(identifies ? (["IDENTIFY"] as const) : []),
    ...(identifies && isLamp ? (["ALERT"] as const) : []),
    ...(endpoints.some(({ output }) => output.includes(0x0019)) ? (["UPGRADE"] as const) : []),
  ];
}

/** Sensors and switches may have such clusters to control other devices directly: they are not remotes. */
function genericRemote(
  node: NodeFacts,
  endpoints: readonly EndpointFacts[],
  generic: readonly Capability[],
): readonly Capability[] {
  const isOther = generic.some((capability) => !capability.startsWith("BATTERY_") && capability !== "RSSI");
  return isOther || rowsOf(endpoints).length === 0 ? [] : remoteOf(node, endpoints);
}

function remoteOf({ manufacturer }: NodeFacts, endpoints: readonly EndpointFacts[]): readonly Capability[] {
  const dims = endpoints.some(({ output }) => output.includes(0x0008));
  return [
    "REMOTE_CONTROL",
    ...(dims ? (["DIMMER_CONTROL"] as const) : []),
    ...(manufacturer === "IKEA of Sweden" ? (["IKEA_RC"] as const) : []),
    ...(/^(?:Philips|Signify)/.test(manufacturer ?? "") ? (["HUE_SWITCH"] as const) : []),
  ];
}
