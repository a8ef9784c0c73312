import type { AdapterHost } from "@ledge/port";
import { adapterErrorOf, AdapterError, CommandRate, type ClientCommand } from "@ledge/port";
import type { Message } from "../broker.ts";
import { Broker } from "../broker.ts";
import type { BrokerSettings, HomeAssistantSettings } from "../settings.ts";
import { attributesOf } from "./commands.ts";
import type { Entity, Places } from "./entity.ts";
import type { HomeRequest, ServedDevice, ServedGroup, ServedHub, ServedOther } from "./home.ts";
import {
  configsOf,
  entitiesOf,
  groupAsDevice,
  groupEntities,
  hubEntity,
  kindNames,
  otherEntity,
  type Owner,
  partsOf,
  stateOf,
  takes,
} from "./objects.ts";
import { pressOf } from "./remote.ts";
import { Retained } from "./retained.ts";
import { type ObjectKind, targetOf, type Topics, topicsOf } from "./topics.ts";

export interface BridgeOptions {
  readonly host: Pick<AdapterHost, "clock" | "log">;
  readonly broker: BrokerSettings;
  readonly settings: HomeAssistantSettings;
  readonly random: () => number;
  /** Resolves when the hub has accepted a command. @throws AdapterError */
  readonly command: (command: ClientCommand) => Promise<void>;
}

/** What is on the broker for one object. */
interface Shown {
  /** Changes when its entities may be others. */
  readonly signature: string;
  readonly entities: readonly Entity[];
  readonly configs: readonly string[];
  readonly states: readonly string[];
}

/** How long after a connection the broker is searched for what an earlier run has left, ms. */
const sweepMs = 5000;

/** Shows a home on a broker as Home Assistant's discovery wants it, and takes the commands of its clients. */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #hub: ServedHub;
  readonly #topics: Topics;
  readonly #broker: Broker;
  readonly #retained: Retained;
  readonly #rate: CommandRate;
  readonly #devices = new Map<string, ServedDevice>();
  readonly #others = new Map<string, ServedOther>();
  readonly #shown = new Map<string, Shown>();
  #isTold = false;
  #cancelSweep: () => void = () => {};
  #sweeping = false;

  constructor(hub: ServedHub, options: BridgeOptions) {
    const { host, broker, settings, random } = options;
    this.#options = options;
    this.#hub = hub;
    this.#topics = topicsOf(settings, hub);
    this.#rate = new CommandRate(host.clock);
    this.#retained = new Retained((topic, payload) => this.#broker.publish(topic, payload, true));
    this.#broker = new Broker(broker, {
      ...host,
      random,
      clientId: `${this.#topics.prefix}_out`,
      will: { topic: this.#topics.status, payload: "offline" },
      subscriptions: () => (settings.commands === "none" ? [] : this.#topics.commands),
      opened: () => this.#opened(),
      lost: () => this.#lost(),
      message: (message) => this.#heard(message),
    });
    this.#retained.set(this.#topics.status, "online");
    this.#show("hub", { kind: "device", device: undefined }, [hubEntity(this.#topics)], "hub", {});
  }

  get hub(): ServedHub {
    return this.#hub;
  }

  /** Takes what the hub tells. */
  take({ full, devices, others, presses }: HomeRequest): void {
    const told = new Set([...devices, ...others].map(([id]) => id));
    if (full)
      for (const id of [...this.#devices.keys(), ...this.#others.keys()]) if (!told.has(id)) this.#drop(id);
    for (const [id, device] of devices) {
      if (device === null || device === "hidden") this.#drop(id);
      else this.#devices.set(id, device);
      if (device !== null && device !== "hidden") this.#showDevice("device", device, entitiesOf);
    }
    for (const [id, other] of others) {
      if (other === null) this.#drop(id);
      else this.#others.set(id, other);
      if (other !== null && other.kind !== "group") this.#showOther(other);
    }
    // A group shows what its members have.
    for (const [id, other] of this.#others)
      if (other.kind === "group" && (told.has(id) || other.members.some((member) => told.has(member))))
        this.#showGroup(other);
    for (const [id, button, modifiers] of presses) this.#press(id, button, modifiers);
    this.#isTold = true;
  }

  /** A press is gone when nobody hears it: the broker keeps none. */
  #press(id: string, button: unknown, modifiers: unknown): void {
    const press = pressOf(button, modifiers);
    if (press === undefined || !this.#shown.has(id) || !this.#broker.isOpen) return;
    const topic = this.#topics.part("device", id, press.part);
    void this.#broker.publish(topic, JSON.stringify(press.event), false).catch(() => {});
  }

  async stop(): Promise<void> {
    this.#cancelSweep();
    if (this.#broker.isOpen) await this.#broker.publish(this.#topics.status, "offline", true).catch(() => {});
    this.#retained.lost();
    await this.#broker.stop();
  }

  #exposes(kind: ObjectKind): boolean {
    return this.#options.settings.expose.has(kindNames[kind]);
  }

  #showDevice(kind: "device" | "group", device: ServedDevice, entitiesFor: typeof entitiesOf): void {
    if (!this.#exposes(kind)) return;
    const { settings } = this.#options;
    const signature = signatureOf(device);
    const before = this.#shown.get(device.id);
    const wanted = {
      device,
      places: this.#places(kind, device.id),
      takes: (name: string) => takes(settings, device, name),
    };
    const entities = before?.signature === signature ? before.entities : entitiesFor(wanted);
    const parts = Object.entries(partsOf(device, entities));
    const states = Object.fromEntries([
      [this.#topics.state(kind, device.id), stateOf(device)],
      ...parts.map(([part, state]) => [this.#topics.part(kind, device.id, part), state] as const),
    ]);
    this.#show(device.id, { kind, device }, entities, signature, states);
  }

  #showGroup(group: ServedGroup): void {
    const members = group.members.flatMap((id) => this.#devices.get(id) ?? []);
    const device = groupAsDevice(group, members);
    if (device === undefined) this.#hide(group.id);
    else this.#showDevice("group", device, groupEntities);
  }

  #showOther(other: Exclude<ServedOther, ServedGroup>): void {
    const { id, kind, name, isOn } = other;
    if (!this.#exposes(kind)) return;
    const entity = otherEntity(other, this.#places(kind, id), this.#options.settings.commands);
    this.#show(id, { kind, device: undefined }, [entity], name, {
      [this.#topics.state(kind, id)]: { name, isOn },
    });
  }

  /** Puts the configurations and the state of an object on the broker, and removes what it no longer has. */
  #show(
    id: string,
    owner: Owner,
    entities: readonly Entity[],
    signature: string,
    states: Readonly<Record<string, object>>,
  ): void {
    const before = this.#shown.get(id);
    for (const [topic, state] of Object.entries(states)) this.#retained.set(topic, JSON.stringify(state));
    if (before?.signature === signature) return;
    const told = configsOf(entities, owner, this.#hub, this.#topics);
    for (const [topic, config] of told) this.#retained.set(topic, config);
    const configs = [...told.keys()];
    for (const topic of before?.configs ?? []) if (!configs.includes(topic)) this.#retained.remove(topic);
    const topics = Object.keys(states);
    for (const topic of before?.states ?? []) if (!topics.includes(topic)) this.#retained.remove(topic);
    this.#shown.set(id, { signature, entities, configs, states: topics });
  }

  #drop(id: string): void {
    this.#devices.delete(id);
    this.#others.delete(id);
    this.#hide(id);
  }

  #hide(id: string): void {
    const { configs = [], states = [] } = this.#shown.get(id) ?? {};
    this.#shown.delete(id);
    for (const topic of [...configs, ...states]) this.#retained.remove(topic);
  }

  #places(kind: ObjectKind, id: string): Places {
    const topics = this.#topics;
    return {
      state: topics.state(kind, id),
      part: (part) => topics.part(kind, id, part),
      set: topics.set(kind, id),
      setOne: (attribute) => topics.setOne(kind, id, attribute),
      setPart: (part) => topics.setPart(kind, id, part),
    };
  }

  #opened(): void {
    this.#retained.opened();
    this.#cancelSweep();
    this.#cancelSweep = this.#options.host.clock.after(sweepMs, () => void this.#sweep());
  }

  #lost(): void {
    this.#retained.lost();
    this.#cancelSweep();
    this.#sweeping = false;
  }

  /** Listens for a while to what the broker keeps of this hub: what is not shown now is from an earlier run. */
  async #sweep(): Promise<void> {
    if (!this.#isTold) return;
    const topics = [this.#topics.configs, ...this.#topics.states];
    this.#sweeping = true;
    try {
      await this.#broker.subscribe(topics);
      this.#cancelSweep = this.#options.host.clock.after(sweepMs, () => {
        this.#sweeping = false;
        void this.#broker.unsubscribe(topics).catch(() => {});
      });
    } catch {
      // The next connection begins anew.
      this.#sweeping = false;
    }
  }

  #heard(message: Message): void {
    const { topic, payload, retained } = message;
    if (retained) {
      if (this.#sweeping && payload.length > 0 && !this.#retained.has(topic)) this.#retained.remove(topic);
      else if (targetOf(topic) !== undefined)
        this.#options.host.log("warn", "a retained command was ignored: it may be of any age", { topic });
      return;
    }
    const target = targetOf(topic);
    if (target !== undefined) void this.#obey(topic, target, payload);
  }

  async #obey(
    topic: string,
    target: NonNullable<ReturnType<typeof targetOf>>,
    payload: Buffer,
  ): Promise<void> {
    const { kind, id } = target;
    try {
      const attributes = attributesOf(target, payload);
      if (typeof attributes === "string") throw new AdapterError("refused", attributes);
      this.#check(kind, id, attributes);
      const client = URL.parse(this.#options.broker.url)?.host ?? "";
      if (!this.#rate.take(client)) throw new AdapterError("busy", "too many commands");
      await this.#options.command({ client, device: id, attributes });
    } catch (error) {
      const { message } = adapterErrorOf(error);
      this.#options.host.log("info", "a command from the broker was refused", { topic, reason: message });
      const told = JSON.stringify({ topic, error: message });
      await this.#broker.publish(this.#topics.error(kind, id), told, false).catch(() => {});
    }
  }

  /** @throws AdapterError for what is not shown, or may not be set */
  #check(kind: ObjectKind, id: string, attributes: Readonly<Record<string, unknown>>): void {
    const { settings } = this.#options;
    const known = kind === "device" ? this.#devices.get(id) : this.#others.get(id);
    const isKnown =
      known !== undefined && this.#shown.has(id) && (kind === "device" || isOfKind(known, kind));
    if (!isKnown || settings.commands === "none") throw new AdapterError("refused", `no ${kind} ${id}`);
    if (kind === "scene" || kind === "rule") return;
    const members = kind === "device" ? [known as ServedDevice] : this.#membersOf(id);
    for (const name of Object.keys(attributes))
      if (!members.some((member) => takes(settings, member, name)))
        throw new AdapterError("refused", `${name}: cannot be set`);
  }

  #membersOf(id: string): readonly ServedDevice[] {
    const group = this.#others.get(id);
    return group?.kind === "group" ? group.members.flatMap((each) => this.#devices.get(each) ?? []) : [];
  }
}

function isOfKind(known: ServedDevice | ServedOther, kind: ObjectKind): boolean {
  return "kind" in known && known.kind === kind;
}

/** What the entities of a device depend on: all but the values of its state. */
function signatureOf(device: ServedDevice): string {
  const { state, ...rest } = device;
  const { minTemperature, maxTemperature, extras } = state;
  const described = Object.values({ ...(extras as Record<string, object> | undefined) }).map((extra) => ({
    ...extra,
    value: undefined,
  }));
  return JSON.stringify([rest, Object.keys(state).toSorted(), minTemperature, maxTemperature, described]);
}
