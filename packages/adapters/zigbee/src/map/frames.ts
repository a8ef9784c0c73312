import { type AttributeValues, extraActions } from "@ledge/exposes";
import type { DeviceAction, ZclAction } from "./action.ts";
import { clusterNamed } from "./attributes.ts";
import { actionOf } from "./cluster.ts";
import { warningSeconds } from "./clusters/warning.ts";
import type { Unit } from "./unit.ts";

/**
 * Returns the actions that set the wanted attributes, in order; empty when the unit can set none of them.
 * @param before the last reported values, overlaid by commands since
 */
export function framesFor(
  unit: Unit,
  wanted: AttributeValues,
  before: AttributeValues,
): readonly DeviceAction[] {
  const own = unit.known?.ownAttributes;
  const standard = own?.size
    ? Object.fromEntries(Object.entries(wanted).filter(([name]) => !own.has(name)))
    : wanted;
  const frames = unit.served.flatMap(({ endpoint, cluster }) => {
    const made = clusterNamed(cluster)?.framesFor?.(standard, { unit, endpoint, before, told: {} }) ?? [];
    return made.map((frame) => actionOf(frame, endpoint.id, cluster));
  });
  const converted = (unit.known?.own ?? []).flatMap(({ write, key, endpoint }): DeviceAction[] => {
    const value = write?.(wanted, before);
    return value === undefined ? [] : [{ kind: "convert", key, endpointName: endpoint, value }];
  });
  return [...frames, ...converted, ...extraActions(unit.known?.extras ?? [], wanted, before)];
}

const identifySeconds = 10;

/** Returns the frames that make a unit identify itself; empty when it cannot. */
export function identifyFrames({ endpoints }: Unit): readonly ZclAction[] {
  const shown = endpoints.find(({ input }) => input.includes(0x0003));
  if (shown === undefined) return [];
  const payload = { identifytime: identifySeconds };
  return [{ kind: "command", endpoint: shown.id, cluster: "genIdentify", name: "identify", payload }];
}

/** The state to assume for a unit that never reports it, after a command. */
export interface Assumed {
  readonly attributes: AttributeValues;
  /** The state to which it returns by itself after a time. */
  readonly until?: { readonly ms: number; readonly attributes: AttributeValues };
}

/** Returns the state to report after a command; undefined for a device that reports its state itself. */
export function assumedAfter({ served, capabilities }: Unit, wanted: AttributeValues): Assumed | undefined {
  const siren = served.find(({ cluster }) => cluster === "ssIasWd");
  if (siren === undefined) return undefined;
  const switches = capabilities.includes("ON_OFF");
  const isOn = wanted["sirenOn"] ?? (switches ? undefined : wanted["isOn"]);
  if (typeof isOn !== "boolean") return undefined;
  const says = (on: boolean): AttributeValues => (switches ? { sirenOn: on } : { isOn: on, sirenOn: on });
  if (!isOn) return { attributes: says(false) };
  return {
    attributes: says(true),
    until: { ms: warningSeconds(siren.endpoint) * 1000, attributes: says(false) },
  };
}
