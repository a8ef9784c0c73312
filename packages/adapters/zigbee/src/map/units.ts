import type { Capability } from "@ledge/model";
import { deviceClassOf, limits } from "@ledge/model";
import { type Button, type Feature, actionsOf, assigned, extrasOf } from "@ledge/exposes";
import type { ZclRead } from "./action.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { has } from "./cluster.ts";
import { settingItems } from "./configuration.ts";
import { clusters } from "./clusters/index.ts";
import type { EndpointFacts, NodeFacts } from "./facts.ts";
import type { KnownFeatures, ModelFacts, ReadModel } from "./known-features.ts";
import { modelFeatures } from "./known-features.ts";
import { optionalOf } from "./optional.ts";
import type { Part } from "./parts.ts";
import { endpointsOf, partsOf } from "./parts.ts";
import { attributesShown } from "./promised.ts";
import { readsOf } from "./reads.ts";
import { buttonsOf } from "./remote.ts";
import type { ServedCluster } from "./setup.ts";
import { setupOf } from "./setup.ts";
import type { Unit } from "./unit.ts";

/**
 * Returns what to read of a device before `unitsOf` can classify it. Without answers, `unitsOf` assumes the
 * usual.
 */
export function factsToRead(node: NodeFacts): readonly ZclRead[] {
  return endpointsOf(node).flatMap((endpoint) =>
    clusters.flatMap((map) => (has(endpoint, map) ? readsOf(endpoint.id, map.cluster, map.facts ?? []) : [])),
  );
}

/**
 * Returns the hub devices of a Zigbee device: one, plus one for each further part that switches separately.
 * @param model its definition; without it, the clusters alone decide.
 */
export function unitsOf(node: NodeFacts, model?: ModelFacts): readonly Unit[] {
  const read = model && { ...model, ...modelFeatures(model) };
  return partsOf(node, read).map((part, index) => unitOf(node, part, index, read));
}

function unitOf(node: NodeFacts, part: Part, index: number, model: ReadModel | undefined): Unit {
  const { endpoints, suffix } = part;
  const served = servedOf(node, endpoints, model !== undefined);
  const generic = served.flatMap(({ capabilities }) => capabilities);
  const known = model && knownOf(part, index, model, generic);
  const capabilities = capabilitiesOf(node, endpoints, generic, known);
  const isRemote = capabilities.includes("REMOTE_CONTROL");
  const buttons = isRemote ? (known?.actions.buttons ?? buttonsOf(endpoints)) : [];
  const base = clean(model?.name ?? node.model) ?? `Zigbee ${node.ieee.slice(-6)}`;
  const used = served.filter((each) => each.capabilities.some((one) => capabilities.includes(one)));
  const unit: Unit = {
    native: suffix === "" ? node.ieee : `${node.ieee}/${suffix}`,
    class: deviceClassOf(capabilities),
    capabilities,
    shown: attributesShown(capabilities),
    name: partName(base, index),
    manufacturer: clean(node.manufacturer),
    model: clean(node.model),
    ...extrasFor(buttons, known),
    endpoints,
    served: used.map(({ endpoint, map }) => ({ endpoint, cluster: map.cluster })),
    setup: setupOf({ node, endpoints, used, capabilities, own: known?.ownAttributes ?? new Set() }),
    ...(known && { known }),
  };
  if (settingItems(unit).length === 0) return unit;
  return { ...unit, capabilities: [...capabilities, "CONFIGURABLE"] };
}

/** Returns the name of a part of a device; the first part has the device's own. */
export function partName(name: string, index: number): string {
  return index === 0
    ? name.slice(0, limits.nameChars)
    : `${name.slice(0, limits.nameChars - 4)} ${index + 1}`;
}

/** Returns the clusters to use: of several endpoints that could report the same, the first, unless each has a part of it. */
function servedOf(
  node: NodeFacts,
  endpoints: readonly EndpointFacts[],
  isKnown: boolean,
): readonly ServedCluster[] {
  const given = new Set<Capability>();
  const served: ServedCluster[] = [];
  for (const endpoint of endpoints) {
    for (const map of clusters) {
      const own = has(endpoint, map) ? map.capabilities(endpoint, node) : [];
      const ofSeveral = isKnown ? undefined : map.ofSeveral?.(endpoints);
      const isRepeated = own.every((capability) => given.has(capability));
      if (own.length === 0 || (isRepeated && ofSeveral === undefined)) continue;
      const optional = isKnown ? [] : optionalOf(endpoint, map);
      const capabilities = [
        ...own,
        ...(ofSeveral ?? []),
        ...optional.flatMap(({ capability }) => capability ?? []),
      ];
      served.push({ endpoint, map, capabilities, optional });
      for (const capability of capabilities) given.add(capability);
    }
  }
  return served;
}

function knownOf(
  { names }: Part,
  index: number,
  model: ReadModel,
  generic: readonly Capability[],
): KnownFeatures {
  const isOurs = ({ endpoint }: { readonly endpoint: string | null }): boolean => names.includes(endpoint);
  const ours = model.features.filter(isOurs);
  const strays = ({ write, key }: Feature): boolean => write !== undefined && model.strays.has(key);
  // Of two ways to set the same, the model's own is the surer one.
  const { features, others } = assigned([...ours.filter(strays), ...ours.filter((each) => !strays(each))]);
  const own = features.filter((feature) => isOwn(feature, model, generic));
  return {
    own,
    ownAttributes: new Set(own.flatMap(({ attributes }) => attributes)),
    capabilities: features.flatMap(({ capabilities }) => capabilities),
    actions: actionsOf(index === 0 ? model.actions : []),
    settings: model.settings.filter(isOurs),
    extras: extrasOf([...model.others.filter(isOurs), ...others]),
    hasCodes: model.hasCodes,
    quirks: model.quirks,
  };
}

/**
 * Whether a definition's feature replaces the standard cluster. A read-only feature always does, because it
 * corrects wrong readings. A settable one does when no standard cluster covers it here, or when the model
 * goes its own way. Switches and lamps follow the standard: own converters of their definitions only add
 * effects and timers.
 */
function isOwn(
  { write, key, capabilities }: Feature,
  { strays }: ModelFacts,
  generic: readonly Capability[],
): boolean {
  if (!write || !capabilities.some((capability) => generic.includes(capability))) return true;
  return strays.has(key) && !capabilities.some((capability) => lighting.has(capability));
}

const lighting: ReadonlySet<Capability> = new Set(["ON_OFF", "BRIGHTNESS", "COLOR_TEMP", "COLOR_HS"]);

/** What only this kind of device has: the keys of a remote, the effects of a lamp. */
function extrasFor(buttons: readonly Button[], known: KnownFeatures | undefined): Pick<Unit, "extras"> {
  const effects = known?.own.find(({ attributes }) => attributes.includes("effect"))?.offered ?? [];
  if (buttons.length === 0 && effects.length === 0) return {};
  return {
    extras: {
      ...(buttons.length > 0 && { buttons: fitting(buttons) }),
      ...(effects.length > 0 && { effects }),
    },
  };
}

/** Returns as many buttons as fit a device's extras. */
function fitting(buttons: readonly Button[]): readonly Button[] {
  let room = limits.deviceExtrasChars - 100;
  return buttons.filter((each) => (room -= JSON.stringify(each).length + 1) > 0);
}

/** Cleans a name from a device: some are padded with NUL, some are long. */
function clean(name: string | null | undefined): string | null {
  // oxlint-disable-next-line no-control-regex
  const visible = (name ?? "").replaceAll(/[\u0000-\u001f\u007f]/g, "").trim();
  return visible === "" ? null : visible.slice(0, limits.nameChars);
}
