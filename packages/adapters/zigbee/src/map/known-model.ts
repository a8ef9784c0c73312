import type { AdapterLog } from "@ledge/port";
import type { Definition, Fz, KeyValue, Tz, Zh } from "zigbee-herdsman-converters/lib/types";
import { type ConvertAction, isRecord } from "@ledge/exposes";
import type { ModelFacts, Quirks } from "./known-features.ts";
import { modelFeatures } from "./known-features.ts";

type Library = typeof import("zigbee-herdsman-converters");
type Properties = Readonly<Record<string, unknown>>;

/** Options of `KnownModel`. */
export interface KnownModelOptions {
  readonly log: AdapterLog;
  /** Called when a converter publishes something by itself, such as the end of motion. */
  readonly said: (properties: Properties) => void;
  /** A definition that a user has for the model, which comes before the library's. */
  readonly external?: (device: Zh.Device, known: Library) => Definition | undefined;
  /** Called when the device turns out to have more or fewer features: read `facts` again. */
  readonly changed: () => void;
}

/**
 * Events of a device that definitions can handle. `start` must come first, before any message is read: on it
 * definitions register a model's non-standard clusters in zigbee-herdsman.
 */
export type ModelEvent = "start" | "stop" | "deviceJoined" | "deviceAnnounce" | "deviceNetworkAddressChanged";

/** Converters that only send standard frames. A key set by any other converter is the model's own. */
const standardConverters = [
  "on_off",
  "light_onoff_brightness",
  "light_color",
  "light_colortemp",
  "light_color_colortemp",
  "lock",
  "cover_state",
  "cover_position_tilt",
  "fan_mode",
  "thermostat_occupied_heating_setpoint",
  "thermostat_system_mode",
] as const;

let library: Promise<Library | undefined> | undefined;

/** Loads zigbee-herdsman-converters on first use; undefined when it is not installed. */
async function loaded(log: AdapterLog): Promise<Library | undefined> {
  library ??= import("zigbee-herdsman-converters").catch((error: unknown) => {
    log("info", "zigbee-herdsman-converters is missing: devices are described by the standard only", {
      error: String(error),
    });
    return undefined;
  });
  const found = await library;
  const { setLogger } = found ?? {};
  const say = (message: string | (() => string)): void =>
    log("debug", typeof message === "function" ? message() : message);
  setLogger?.({ debug: () => undefined, info: say, warning: say, error: say });
  return found;
}

/**
 * The definition of one device's model at work: the only part of the map that uses zigbee-herdsman's objects.
 */
export class KnownModel {
  readonly #device: Zh.Device;
  readonly #definition: Definition;
  readonly #library: Library;
  readonly #options: KnownModelOptions;
  readonly #isExternal: boolean;
  /** The last published values, which converters want to know. */
  readonly #state: KeyValue = {};

  private constructor(
    device: Zh.Device,
    definition: Definition,
    known: Library,
    options: KnownModelOptions,
    isExternal: boolean,
  ) {
    this.#device = device;
    this.#definition = definition;
    this.#library = known;
    this.#isExternal = isExternal;
    this.#options = options;
  }

  /** Returns the definition of a device's model; undefined for an unknown model. */
  static async of(device: Zh.Device, options: KnownModelOptions): Promise<KnownModel | undefined> {
    const { log } = options;
    const known = await loaded(log);
    if (known === undefined) return undefined;
    try {
      // A definition generated for an unknown model would say no more than its clusters.
      const external = options.external?.(device, known);
      const definition = external ?? (await known.findByDevice(device, false));
      if (definition === undefined) return undefined;
      return new KnownModel(device, definition, known, options, external !== undefined);
    } catch (error) {
      log("warn", "cannot use the definition of a model", { model: device.modelID, error: String(error) });
      return undefined;
    }
  }

  get facts(): ModelFacts {
    const { vendor, model, meta } = this.#definition;
    const exposes = this.#exposes();
    const plain = {
      name: `${vendor} ${model}`,
      exposes,
      endpoints: this.#endpoints(),
      quirks: quirksOf(exposes, meta),
    };
    const { features } = modelFeatures(plain);
    const keys = new Set(features.filter(({ write }) => write).map(({ key }) => key));
    return { ...plain, strays: new Set([...keys].filter((key) => this.#strays(key))) };
  }

  /** Configures the device as its model requires. Rejects when a frame fails. */
  async configure(coordinator: Zh.Endpoint): Promise<void> {
    await this.#definition.configure?.(this.#device, coordinator, this.#definition);
  }

  /** Passes an event to the definition. A failure is only logged. */
  async event(type: ModelEvent): Promise<void> {
    const { onEvent } = this.#definition;
    const { ieeeAddr } = this.#device;
    try {
      if (type === "stop") await onEvent?.({ type, data: { ieeeAddr } });
      else await onEvent?.({ type, data: { ...this.#meta(), options: {} } });
    } catch (error) {
      this.#options.log("debug", "a definition failed", { event: type, error: String(error) });
    }
  }

  /**
   * Converts a message through the definition, by property. Converters that answer later publish through
   * `said`.
   * @param message as in zigbee-herdsman's `message` event
   */
  read(message: Fz.Message<string>): Properties {
    const made: KeyValue = {};
    for (const { cluster, type, convert } of this.#definition.fromZigbee) {
      const types: readonly unknown[] = Array.isArray(type) ? type : [type];
      if (cluster !== message.cluster || !types.includes(message.type)) continue;
      try {
        const result: unknown = convert(this.#definition, message, this.#publish, {}, this.#meta());
        if (result instanceof Promise) result.then(this.#publish, this.#failed);
        else if (isRecord(result)) Object.assign(made, result);
      } catch (error) {
        this.#failed(error);
      }
    }
    return this.#kept(made);
  }

  /**
   * Sets a property through its converter. Rejects when a frame fails.
   * @returns the new values by property, according to the converter
   */
  async set({ key, endpointName, value }: ConvertAction): Promise<Properties> {
    const converter = this.#converter(key, endpointName);
    if (converter?.convertSet === undefined) throw new Error(`the model has no way to set ${key}`);
    const { mapped, meta } = { mapped: this.#definition, meta: this.#meta() };
    const result = await converter.convertSet(this.#endpoint(endpointName), key, value, {
      ...meta,
      mapped,
      message: { [key]: value },
      options: {},
      endpoint_name: endpointName ?? undefined,
      publish: this.#publish,
    });
    const state = isRecord(result) && isRecord(result["state"]) ? result["state"] : {};
    const isMany = endpointName !== null && this.#definition.meta?.multiEndpoint === true;
    return this.#kept(
      Object.fromEntries(
        Object.entries(state).map(([name, each]) => [isMany ? `${name}_${endpointName}` : name, each]),
      ),
    );
  }

  /**
   * Asks the device for a property through its converter; the answer is a message. Does nothing when the converter
   * cannot ask. Rejects when the device does not answer.
   */
  async get({ key, endpointName }: Pick<ConvertAction, "key" | "endpointName">): Promise<void> {
    const meta = { ...this.#meta(), mapped: this.#definition, message: { [key]: "" }, options: {} };
    const converter = this.#converter(key, endpointName);
    await converter?.convertGet?.(this.#endpoint(endpointName), key, {
      ...meta,
      endpoint_name: endpointName ?? undefined,
      publish: this.#publish,
    });
  }

  readonly #publish = (payload: unknown): void => {
    if (isRecord(payload) && Object.keys(payload).length > 0) this.#options.said(this.#kept(payload));
  };

  readonly #failed = (error: unknown): void =>
    this.#options.log("debug", "a converter failed", {
      model: this.#definition.model,
      error: String(error),
    });

  #exposes(): readonly unknown[] {
    const { exposes } = this.#definition;
    return typeof exposes === "function" ? exposes(this.#device, {}) : exposes;
  }

  #endpoints(): Readonly<Record<string, number>> {
    return this.#definition.endpoint?.(this.#device) ?? {};
  }

  #endpoint(name: string | null): Zh.Endpoint {
    const endpoints = this.#endpoints();
    const id = endpoints[name ?? "default"];
    const found = id === undefined ? undefined : this.#device.getEndpoint(id);
    const endpoint = found ?? this.#device.endpoints[0];
    if (endpoint === undefined) throw new Error("the device has no endpoint");
    return endpoint;
  }

  #converter(key: string, endpointName: string | null): Tz.Converter | undefined {
    return this.#definition.toZigbee.find(
      (each) =>
        (each.key === undefined || each.key.includes(key)) &&
        (each.endpoints === undefined || endpointName === null || each.endpoints.includes(endpointName)),
    );
  }

  /**
   * Whether the model sets a key in its own way. Some definitions copy a standard converter for one endpoint.
   */
  #strays(key: string): boolean {
    const set = this.#converter(key, null)?.convertSet;
    return !standardConverters.some((name) => this.#library.toZigbee[name].convertSet === set);
  }

  #meta(): Fz.Meta {
    return { device: this.#device, state: this.#state, deviceExposesChanged: this.#options.changed };
  }

  #kept(said: KeyValue): Properties {
    const properties = { ...said };
    // The library rounds what its own definitions read, by the names of properties.
    if (!this.#isExternal)
      this.#library.postProcessConvertedFromZigbeeMessage(this.#definition, properties, {}, this.#device);
    Object.assign(this.#state, properties);
    return properties;
  }
}

function quirksOf(exposes: readonly unknown[], meta: Definition["meta"]): Quirks {
  const lights = exposes.filter(
    (each): each is Record<string, unknown> => isRecord(each) && each["type"] === "light",
  );
  const has = (name: string): boolean =>
    lights.some(
      ({ features }) =>
        Array.isArray(features) && features.some((each: unknown) => isRecord(each) && each["name"] === name),
    );
  const ways = (["xy", "hs"] as const).filter((way) => has(`color_${way}`));
  return {
    isCoverInverted: meta?.coverInverted === true,
    color: ways.length === 1 ? ways[0] : undefined,
    hasNoEnhancedHue: meta?.supportsEnhancedHue === false,
  };
}
