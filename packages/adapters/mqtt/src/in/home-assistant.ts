import { isRecord } from "@ledge/exposes";
import { limits } from "@ledge/model";
import { availabilityOf, entityOf, type HaEntity } from "./ha-entity.ts";
import { unabbreviated } from "./ha-names.ts";
import { PointedDevices } from "./pointed-device.ts";
import { jsonOf, type Sending, type Source, type SourceHost, type Values, wordOf } from "./source.ts";

interface Known extends HaEntity {
  readonly config: Values;
  readonly device: Values;
  /** The native id of the hub's device that has it. */
  readonly native: string;
}

/**
 * Devices that describe themselves in Home Assistant's discovery, such as those with ESPHome. Each entity that is
 * commanded is a device of the hub; what a device measures is another one.
 */
export class HomeAssistantDiscovery implements Source {
  readonly topics: readonly string[];
  readonly #prefix: string;
  readonly #devices: PointedDevices;
  /** By the topic of its configuration, and the key in it. */
  readonly #known = new Map<string, readonly Known[]>();
  /** The topics of the configurations of each device. */
  readonly #topicsOf = new Map<string, Set<string>>();

  constructor(prefix: string, host: SourceHost) {
    this.#prefix = prefix;
    this.#devices = new PointedDevices(host);
    this.topics = [`${prefix}/+/+/config`, `${prefix}/+/+/+/config`];
  }

  heard(topic: string, payload: Buffer): void {
    const isConfig = topic.startsWith(`${this.#prefix}/`) && topic.endsWith("/config");
    if (!isConfig) return this.#devices.heard(topic, payload);
    const [component = ""] = topic.slice(this.#prefix.length + 1).split("/");
    const said = jsonOf(payload);
    const before = this.#known.get(topic) ?? [];
    const now =
      isRecord(said) && (before.length > 0 || this.#known.size < limits.devices)
        ? knownIn(topic, component, unabbreviated(said))
        : [];
    if (now.length > 0) this.#known.set(topic, now);
    else this.#known.delete(topic);
    for (const { native } of before) this.#topicsOf.get(native)?.delete(topic);
    for (const { native } of now)
      this.#topicsOf.set(native, (this.#topicsOf.get(native) ?? new Set()).add(topic));
    for (const native of new Set([...before, ...now].map((each) => each.native))) this.#put(native);
  }

  set(native: string, attributes: Values): readonly Sending[] | undefined {
    return this.#devices.set(native, attributes);
  }

  /** Puts together what is known of a device: of two entities with one attribute, the first by its topic. */
  #put(native: string): void {
    const parts = [...(this.#topicsOf.get(native) ?? [])]
      .toSorted((a, b) => (a < b ? -1 : 1))
      .flatMap((topic) => this.#known.get(topic)?.filter((each) => each.native === native) ?? []);
    const [first] = parts;
    if (first === undefined) {
      this.#topicsOf.delete(native);
      return this.#devices.remove(native);
    }
    const taken = new Set<string>();
    const points = parts.flatMap((each) =>
      each.points.filter(({ attributes }) => {
        if (attributes.some((name) => taken.has(name))) return false;
        for (const name of attributes) taken.add(name);
        return true;
      }),
    );
    const places = parts.flatMap(({ config }) => availabilityOf(config));
    const availability = new Map(places.map((each) => [each.topic, each]));
    const { device, config, isCommanded } = first;
    const [whole, own] = [wordOf(device["name"]), wordOf(config["name"])];
    this.#devices.put({
      native,
      radio: "discovery",
      name: (isCommanded ? (own ?? whole) : (whole ?? own)) ?? native,
      class: first.isLamp ? "LIGHT" : undefined,
      manufacturer: wordOf(device["manufacturer"]),
      model: wordOf(device["model"]),
      availability: [...availability.values()],
      points,
    });
  }
}

/** Returns the entities of a message: one, or all of a device. */
function knownIn(topic: string, component: string, said: Values): readonly Known[] {
  const { origin, device, components, ...shared } = said;
  // The hub's own, and those of other hubs of its kind: two would show each other's for ever.
  if (isRecord(origin) && origin["name"] === "Ledge") return [];
  const make = isRecord(device) ? device : {};
  const all: readonly (readonly [component: string, config: Values])[] =
    component === "device"
      ? Object.values(isRecord(components) ? components : {}).flatMap((each) =>
          isRecord(each) ? [[String(each["platform"]), { ...shared, ...each }] as const] : [],
        )
      : [[component, said]];
  return all.flatMap(([of, config]): readonly Known[] => {
    const entity = entityOf(of, config);
    if (entity === undefined) return [];
    const id = Array.isArray(make["identifiers"])
      ? (make["identifiers"] as readonly unknown[])[0]
      : make["identifiers"];
    const own = wordOf(config["unique_id"], 128) ?? topic.split("/").slice(1, -1).join("_");
    const native = entity.isCommanded ? own : (wordOf(id, 128) ?? own);
    return [
      {
        ...entity,
        config,
        device: make,
        native: `discovery/${entity.isCommanded ? "entity" : "device"}/${native}`,
      },
    ];
  });
}
