import { type Feature, hasFeature, type Reader } from "@ledge/model";

/** The features that an adapter goes with. */
interface WithFeatures {
  /** It runs while the hub has any of these. */
  readonly any: readonly [Feature, ...Feature[]];
  /** Its settings where the profile has none, so that the feature alone starts it; absent: a profile must name it. */
  readonly settings?: object;
}

/**
 * Adapters that go with features, by protocol. They start and stop with those while the hub runs. All others run while the
 * profile names them.
 */
const adapterFeatures: Readonly<Record<string, WithFeatures>> = {
  bacnet: { any: ["BACNET", "BACNET_CLIENT", "BACNET_SERVER"], settings: {} },
  mbus: { any: ["MBUS"], settings: {} },
  modbus: { any: ["MODBUS"], settings: { ports: [] } },
  mqtt: { any: ["MQTT"] },
  onvif: { any: ["VIDEO_SERVICE"] },
  rf433: { any: ["FOUR33_HW2"] },
  zwave: { any: ["ZWAVE"], settings: {} },
};

/** Whether an adapter goes with no feature, or the hub has one of its features. */
export function isAdapterOn(protocol: string, read: Pick<Reader, "all">): boolean {
  const going = featuresOf(protocol);
  return going === undefined || going.any.some((feature) => hasFeature(feature, read));
}

/** Returns the features of adapters that a profile names, but which it lists none of the features of. */
export function impliedFeatures(
  adapters: Readonly<Record<string, unknown>>,
  listed: readonly string[],
): Feature[] {
  return Object.keys(adapters).flatMap((protocol) => {
    const { any } = featuresOf(protocol) ?? {};
    return any === undefined || any.some((feature) => listed.includes(feature)) ? [] : [any[0]];
  });
}

/** Returns the settings of the adapters of a profile, with those of adapters that a feature alone starts. */
export function withFeatureStarted(
  adapters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const more = Object.entries(adapterFeatures).flatMap(([protocol, { settings }]) =>
    settings === undefined ? [] : [[protocol, settings] as const],
  );
  return { ...Object.fromEntries(more), ...adapters };
}

/** Returns an adapter's settings without the parts whose features the hub has not. */
export function settingsNow(protocol: string, settings: unknown, read: Pick<Reader, "all">): unknown {
  if (protocol !== "mqtt" || hasFeature("BLE", read)) return settings;
  const { sources, ...rest } = { ...(settings as { readonly sources?: unknown } | null) };
  if (typeof sources !== "object" || sources === null || !("ble" in sources)) return settings;
  const { ble: _, ...others } = sources;
  return { ...rest, sources: others };
}

function featuresOf(protocol: string): WithFeatures | undefined {
  return Object.hasOwn(adapterFeatures, protocol) ? adapterFeatures[protocol] : undefined;
}
