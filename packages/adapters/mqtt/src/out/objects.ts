import { attribute, isExtra } from "@ledge/model";
import type { HomeAssistantSettings, Kind } from "../settings.ts";
import type { Entity, Places, Wanted } from "./entity.ts";
import { choicesOf, climateOf, climateState } from "./climate.ts";
import { coverOf, coverState, valveOf } from "./cover.ts";
import { extrasOf } from "./extras.ts";
import { lightOf, lightState } from "./light.ts";
import { identifyOf, lockOf, sirenOf } from "./locks.ts";
import { keysOf } from "./remote.ts";
import type { ServedDevice, ServedGroup, ServedHub, ServedOther } from "./home.ts";
import { sensorsOf } from "./sensors.ts";
import { switchesOf } from "./switches.ts";
import type { ObjectKind, Topics } from "./topics.ts";

type Json = Readonly<Record<string, unknown>>;

/** Attributes that only clients who may open doors or silence an alarm can set. */
const guarded: ReadonlySet<string> = new Set(["locked", "sirenOn", "recording"]);

/** Whether clients may set an attribute of a device. */
export function takes(
  { commands }: Pick<HomeAssistantSettings, "commands">,
  device: Pick<ServedDevice, "class" | "capabilities">,
  name: string,
): boolean {
  if (commands === "none") return false;
  if (commands === "comfort" && (guarded.has(name) || device.class === "ALARM_DEVICE")) return false;
  if (isExtra(name)) return true;
  if (name === "identify") return device.capabilities.includes("IDENTIFY");
  return attribute(name)?.settableBy.some((each) => device.capabilities.includes(each)) ?? false;
}

/** Returns the entities of a device, each with a key of its own. */
export function entitiesOf(wanted: Wanted): readonly Entity[] {
  const entities: Entity[] = [];
  const shown = new Set<string>();
  for (const rows of builders) {
    for (const entity of rows.of(wanted)) {
      entities.push(entity);
      for (const name of rows.shows) shown.add(name);
    }
  }
  return [...entities, ...sensorsOf(wanted, shown), ...additions.flatMap((of) => of(wanted))];
}

/** What makes entities that can be commanded, and the attributes that these show. */
const builders: readonly {
  readonly of: (wanted: Wanted) => readonly Entity[];
  readonly shows: readonly string[];
}[] = [
  { of: lightOf, shows: ["isOn", "brightness"] },
  { of: sirenOf, shows: ["isOn", "sirenOn"] },
  { of: switchesOf, shows: ["isOn"] },
  { of: coverOf, shows: ["liftPct", "tiltPct"] },
  { of: valveOf, shows: ["openPct"] },
  { of: climateOf, shows: ["targetTemp", "targetTemperature"] },
  { of: lockOf, shows: ["locked"] },
  { of: choicesOf, shows: [] },
];

/** What else a device offers, each beside the others. */
const additions: readonly ((wanted: Wanted) => readonly Entity[])[] = [keysOf, identifyOf, extrasOf];

/** Attributes that no client needs: the hub's own bookkeeping. */
const internal: ReadonlySet<string> = new Set(["type", "lastSeen"]);

/** Returns the state of a device as clients read it: its attributes, and its extras by name. */
export function stateOf(device: ServedDevice): Json {
  const { state } = device;
  const shown: Record<string, unknown> = { reachable: state["reachable"] === true };
  for (const [name, value] of Object.entries(state)) {
    if (internal.has(name) || name === "reachable") continue;
    shown[name] = name === "extras" ? extrasIn(value) : value;
  }
  return { ...shown, ...coverState(device) };
}

function extrasIn(extras: unknown): Json {
  const all = Object.entries({ ...(extras as Record<string, { readonly value?: unknown }> | null) });
  return Object.fromEntries(all.map(([name, extra]) => [name, extra?.value ?? null]));
}

/** Returns the states of the parts of a device, by the name of the part. */
export function partsOf(device: ServedDevice, entities: readonly Entity[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    entities.flatMap(({ component }) => {
      const state = Object.hasOwn(partStates, component) ? partStates[component] : undefined;
      return state === undefined ? [] : [[component, state(device)] as const];
    }),
  );
}

const partStates: Readonly<Record<string, (device: ServedDevice) => Json>> = {
  light: lightState,
  climate: climateState,
};

/** A group as if it were a device: it has what all of its members have. */
export function groupAsDevice(
  { id, name, room }: ServedGroup,
  members: readonly ServedDevice[],
): ServedDevice | undefined {
  const [first] = members;
  if (first === undefined) return undefined;
  const capabilities = first.capabilities.filter((each) =>
    members.every((member) => member.capabilities.includes(each)),
  );
  const classes = new Set(members.map((member) => member.class));
  const reachable = members.filter(({ state }) => state["reachable"] === true);
  const isOn = members.some(({ state }) => state["isOn"] === true);
  // The first that is on, or could be told, stands for all.
  const shown = reachable.find(({ state }) => state["isOn"] === true) ?? reachable[0] ?? first;
  return {
    id,
    name,
    class: classes.size === 1 ? first.class : "GROUP",
    capabilities,
    state: { ...shown.state, reachable: reachable.length > 0, ...("isOn" in shown.state && { isOn }) },
    manufacturer: null,
    model: "Group",
    room,
  };
}

/** What a group shows: what can be commanded of all its members at once, and no measurement of one of them. */
export function groupEntities(wanted: Wanted): readonly Entity[] {
  return builders.flatMap(({ of }) => of(wanted));
}

/** Returns the entity of a scene or rule, which belongs to the hub. */
export function otherEntity(
  { id, kind, name }: Exclude<ServedOther, ServedGroup>,
  places: Places,
  commands: HomeAssistantSettings["commands"],
): Entity {
  const key = `${kind}_${id}`;
  if (kind === "scene" && commands !== "none") {
    const config = { command_topic: places.set, payload_on: "ON", json_attributes_topic: places.state };
    return { component: "scene", key, name, config };
  }
  const shown = { state_topic: places.state, value_template: "{{ 'ON' if value_json.isOn else 'OFF' }}" };
  if (kind === "scene" || commands === "none")
    return { component: "binary_sensor", key, name, config: shown };
  const config = { ...shown, command_topic: places.set, entity_category: "config" };
  return { component: "switch", key, name, config };
}

/** The kinds of objects by what the settings call them. */
export const kindNames: Readonly<Record<ObjectKind, Kind>> = {
  device: "devices",
  group: "groups",
  scene: "scenes",
  rule: "rules",
};

/** Whose entity it is: an object with a state of its own, or the hub. */
export interface Owner {
  readonly kind: ObjectKind;
  readonly device: Pick<ServedDevice, "id" | "name" | "manufacturer" | "model" | "room"> | undefined;
}

/** Returns the configurations of the entities of an object for Home Assistant's discovery, by topic. */
export function configsOf(
  entities: readonly Entity[],
  owner: Owner,
  hub: ServedHub,
  topics: Topics,
): ReadonlyMap<string, string> {
  return new Map(
    entities.map((entity) => {
      const key = owner.device === undefined ? entity.key : `${owner.device.id}_${entity.key}`;
      const topic = topics.config(entity.component, key.replaceAll(/[^A-Za-z0-9_-]/g, "_"));
      return [topic, JSON.stringify(configOf(entity, owner, hub, topics))];
    }),
  );
}

function configOf(entity: Entity, owner: Owner, hub: ServedHub, topics: Topics): Json {
  const { device, kind } = owner;
  const { prefix, status } = topics;
  const availability: Json[] = [{ topic: status }];
  if (device !== undefined)
    availability.push({
      topic: topics.state(kind, device.id),
      value_template: "{{ 'online' if value_json.reachable else 'offline' }}",
    });
  const objectId = device === undefined ? entity.key : `${device.id}_${entity.key}`;
  return {
    name: entity.name,
    unique_id: `${prefix}_${objectId}`,
    ...entity.config,
    // What says whether the hub is there is always available.
    ...(entity.config["state_topic"] !== status && { availability }),
    ...(device !== undefined && { availability_mode: "all" }),
    device: device === undefined ? hubDevice(hub, prefix) : deviceOf(device, prefix),
    origin: { name: "Ledge", sw_version: hub.version },
  };
}

function hubDevice({ hubName, version }: ServedHub, prefix: string): Json {
  return { identifiers: [prefix], name: hubName, manufacturer: "Ledge", model: "Hub", sw_version: version };
}

function deviceOf(
  { id, name, manufacturer, model, room }: NonNullable<Owner["device"]>,
  prefix: string,
): Json {
  return {
    identifiers: [`${prefix}_${id}`],
    name,
    ...(manufacturer !== null && { manufacturer }),
    ...(model !== null && { model }),
    ...(room !== null && { suggested_area: room }),
    via_device: prefix,
  };
}

/** The hub itself: whether it is there. */
export function hubEntity(topics: Topics): Entity {
  const config = {
    state_topic: topics.status,
    payload_on: "online",
    payload_off: "offline",
    device_class: "connectivity",
    entity_category: "diagnostic",
  };
  return { component: "binary_sensor", key: "hub", name: "Connection", config };
}
