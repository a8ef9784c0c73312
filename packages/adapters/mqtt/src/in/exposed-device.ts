import {
  type Actions,
  actionsOf,
  assigned,
  type AttributeValues,
  type Expose,
  type ExposedExtra,
  extraActions,
  extrasIn,
  extrasOf,
  type Feature,
  featuresOf,
  isSecret,
  kelvinOf,
  partsOf,
} from "@ledge/exposes";
import { type Capability, deviceClassOf, limits } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";
import type { Values } from "./source.ts";

/** What a bridge says of the make of a device. */
export interface Make {
  readonly native: string;
  readonly name: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
}

/** One device of the hub that a bridge describes by its exposes: one endpoint of several that switch. */
export class ExposedDevice {
  readonly description: DeviceDescription;
  readonly #features: readonly Feature[];
  readonly #extras: readonly ExposedExtra[];
  readonly #actions: Actions | undefined;
  readonly #limits: Values;
  #told: AttributeValues = {};

  constructor(make: Make, exposes: readonly Expose[], radio: string, endpoint: string | null) {
    const { features, rest } = featuresOf(exposes.filter(({ name }) => name !== "action"));
    const given = assigned(features);
    this.#features = given.features;
    this.#extras = extrasOf([...rest, ...given.others].filter((leaf) => !isSecret(leaf))).slice(
      0,
      limits.stateExtras,
    );
    const actions = exposes.find(({ name, type }) => name === "action" && type === "enum");
    this.#actions = actions === undefined ? undefined : actionsOf(actions.values);
    this.#limits = whiteOf(exposes);
    const buttons = this.#actions?.buttons ?? [];
    const capabilities = new Set<Capability>(["DEVICE"]);
    for (const feature of this.#features) for (const each of feature.capabilities) capabilities.add(each);
    if (buttons.length > 0) capabilities.add("REMOTE_CONTROL");
    const effects = this.#features.flatMap(({ offered = [] }) => offered);
    this.description = {
      native: endpoint === null ? make.native : `${make.native}/${endpoint}`,
      radio,
      class: deviceClassOf([...capabilities]),
      capabilities: [...capabilities],
      name: endpoint === null ? make.name : `${make.name} ${endpoint}`,
      manufacturer: make.manufacturer,
      model: make.model,
      ...((buttons.length > 0 || effects.length > 0) && {
        extras: { ...(buttons.length > 0 && { buttons }), ...(effects.length > 0 && { effects }) },
      }),
      ...(this.#extras.length > 0 && { stateExtras: this.#extras.map(({ described }) => described) }),
    };
  }

  /** Returns the attributes in a message of the device. */
  read(properties: Values, before: AttributeValues): AttributeValues {
    const made: Record<string, unknown> = { ...this.#limits };
    const mode = properties["color_mode"];
    const known = {
      ...before,
      ...(mode !== undefined && { colorMode: mode === "color_temp" ? "ct" : "hs" }),
    };
    for (const { property, read } of this.#features)
      if (Object.hasOwn(properties, property))
        Object.assign(made, read(properties[property], { before: known, told: this.#told }));
    Object.assign(made, extrasIn(this.#extras, properties));
    const press = this.#actions?.pressOf(properties["action"], before);
    if (press !== undefined) Object.assign(made, { button: press.button, modifiers: press.modifiers });
    return made;
  }

  /** Returns the properties that set attributes; none where the device takes none of them. */
  set(wanted: AttributeValues, before: AttributeValues): Values {
    const properties: Record<string, unknown> = {};
    for (const { property, write } of this.#features) {
      const value = write?.(wanted, before);
      if (value !== undefined) properties[property] = value;
    }
    for (const { key, endpointName, value } of extraActions(this.#extras, wanted, before))
      properties[endpointName === null ? key : `${key}_${endpointName}`] = value;
    const { transitionMsec } = wanted;
    if (typeof transitionMsec === "number" && Object.keys(properties).length > 0)
      properties["transition"] = transitionMsec / 1000;
    this.#told = { ...this.#told, ...wanted };
    return properties;
  }
}

/** Returns the devices of the hub that exposes describe. */
export function devicesOf(make: Make, exposes: readonly Expose[], radio: string): readonly ExposedDevice[] {
  const endpoints = new Set<string>();
  for (const expose of exposes)
    if (["light", "switch", "cover", "lock"].includes(expose.type))
      for (const { endpoint } of partsOf(expose)) if (endpoint !== null) endpoints.add(endpoint);
  const [first, ...more] = [...endpoints].toSorted();
  if (first === undefined || more.length === 0) return [new ExposedDevice(make, exposes, radio, null)];
  const endpointOf = (expose: Expose): string | null => partsOf(expose)[0]?.endpoint ?? expose.endpoint;
  return [first, ...more].map((endpoint) => {
    const own = exposes.filter((expose) => {
      const at = endpointOf(expose);
      // What is of the whole device is shown with its first part.
      return at === endpoint || (endpoint === first && (at === null || !endpoints.has(at)));
    });
    return new ExposedDevice(make, own, radio, endpoint);
  });
}

/** The range of white of a lamp, K. */
function whiteOf(exposes: readonly Expose[]): Values {
  const warmth = exposes.flatMap(partsOf).find(({ name }) => name === "color_temp");
  const { least = null, most = null } = warmth ?? {};
  if (least === null || most === null || least <= 0) return {};
  return { minTemperature: Math.round(kelvinOf(most)), maxTemperature: Math.round(kelvinOf(least)) };
}
