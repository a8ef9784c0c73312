import type { Clock, Kernel, Viewer } from "@ledge/kernel";
import type { Command, Device, DeviceReported, LoggedEvent } from "@ledge/model";
import { allows, bacnetId, featureEvents, hasFeature, mqttBrokerId, roles } from "@ledge/model";
import { adapterErrorOf } from "@ledge/port";
import type { Logger } from "@ledge/host/logger";
import type { SupervisedAdapter } from "../adapters/supervisor.ts";
import { apiVersion } from "../version.ts";

/** The parts of the hub that this class uses. */
export interface ServingHost {
  readonly kernel: Kernel;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Logger;
}

/** A command of a client of another protocol, as its adapter hands it over. */
interface ClientCommand {
  readonly id: number;
  readonly client: string;
  readonly device: string;
  readonly attributes: Readonly<Record<string, unknown>> | null;
}

/** A device as its server takes it; one that is not shown keeps its place, one that is gone does not. */
type Served = readonly [id: string, device: object | "hidden" | null];
/** A group, scene or rule as a server takes it; null: it is gone. */
type ServedOther = readonly [id: string, other: object | null];
/** A key of a remote, in the order of presses. */
type Press = readonly [device: string, button: unknown, modifiers: unknown];

/** Changes of devices wait this long for more, so that an adapter gets them together. */
const gatherMs = 50;
const requestMs = 10_000;
/** How long an adapter holds a request for commands of its clients. */
const waitMs = 25_000;
const retryMs = 1000;

/** A server that an adapter runs. */
interface AdapterServer {
  /** Returns its settings as its adapter takes them; undefined: it is off. */
  readonly settings: (kernel: Kernel) => object | undefined;
  /** The types of the events that change them. */
  readonly changedBy: ReadonlySet<string>;
  /**
   * As whom its clients read and command; undefined: they may all. The settings hold the role, so that everything is
   * told again when it is another.
   */
  readonly viewer?: (kernel: Kernel) => Viewer | undefined;
  /** Whether it also shows groups, scenes, rules and every press of a key. */
  readonly showsAll?: true;
}

/** The kinds of objects that a server may show. */
const shownKinds = ["device", "group", "scene", "rule"] as const;

/** By protocol. */
const servers: Readonly<Record<string, AdapterServer>> = {
  bacnet: {
    settings(kernel) {
      const settings = kernel.get("bacnet", bacnetId);
      if (settings?.bacnetEnabled !== true || !hasFeature("BACNET_SERVER", kernel)) return undefined;
      const { deviceId, deviceName, port, broadcast } = settings;
      for (const [, { timezone }] of kernel.all("hub"))
        return { deviceId, deviceName, port, broadcast, timeZone: timezone, version: apiVersion };
      return undefined;
    },
    changedBy: new Set(["BacnetSettingsSet", "TimezoneSet", ...featureEvents]),
  },
  mqtt: {
    settings(kernel) {
      if (!hasFeature("MQTT", kernel)) return undefined;
      const viewer = brokerViewer(kernel);
      for (const [id, { name }] of kernel.all("hub"))
        return { hubId: id, hubName: name, version: apiVersion, ...(viewer && { role: viewer.role }) };
      return undefined;
    },
    changedBy: new Set([
      "HubRenamed",
      "MqttBrokerSet",
      "MqttBrokerRemoved",
      "UserRoleChanged",
      "UserRevoked",
      "UserReinstated",
      ...featureEvents,
    ]),
    viewer: brokerViewer,
    showsAll: true,
  },
};

/** Returns the user whose rights the clients of the MQTT broker have, with role 0 for one without access. */
function brokerViewer(kernel: Kernel): Viewer | undefined {
  const id = kernel.get("mqttBroker", mqttBrokerId)?.user ?? null;
  if (id === null) return undefined;
  const user = kernel.get("user", id);
  return { user: id, role: user === undefined || user.revoked ? 0 : user.user_info.role, since: 0 };
}

/** Returns what feeds the server of a protocol's adapter; undefined for a protocol without one. */
export function servingOf(
  protocol: string,
  host: ServingHost,
  adapter: () => ServingAdapter,
): Serving | undefined {
  const server = Object.hasOwn(servers, protocol) ? servers[protocol] : undefined;
  return server && new Serving(protocol, server, host, adapter);
}

type ServingAdapter = Pick<SupervisedAdapter, "request" | "offers">;

/** What an adapter knows of the settings of its server, besides their JSON: that it is off. */
const off = "off";

/** Shows the hub's devices to clients of another protocol by way of its adapter, and takes their commands. */
export class Serving {
  readonly #protocol: string;
  readonly #server: AdapterServer;
  readonly #host: ServingHost;
  readonly #adapter: () => ServingAdapter;
  /** Counts the starts of the adapter: what was begun for an earlier one ends. */
  #run = 0;
  #isRunning = false;
  /** The settings that the adapter has, as JSON; undefined: nobody knows. */
  #settings: string | undefined = off;
  /** What the adapter knows of each device, and that it knows of something else. */
  readonly #told = new Map<string, "shown" | "hidden" | "other">();
  readonly #changed = new Set<string>();
  #presses: Press[] = [];
  #cancel: (() => void) | undefined;
  /** Resolves when the adapter has taken its last settings, or has failed to. */
  #settling: Promise<unknown> = Promise.resolve();
  /** The run whose commands are taken now. */
  #taking: number | undefined;

  constructor(protocol: string, server: AdapterServer, host: ServingHost, adapter: () => ServingAdapter) {
    this.#protocol = protocol;
    this.#server = server;
    this.#host = host;
    this.#adapter = adapter;
  }

  /** The adapter has started: its server is off. */
  running(): void {
    this.stop();
    if (!this.#adapter().offers.requests.includes("SERVE_HOME")) return;
    this.#isRunning = true;
    void this.#serve(this.#run);
  }

  stop(): void {
    this.#run += 1;
    this.#isRunning = false;
    this.#settings = off;
    this.#told.clear();
    this.#changed.clear();
    this.#presses = [];
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Follows a published event. While the server is off, only what may turn it on counts. */
  follow(event: LoggedEvent): void {
    if (!this.#isRunning) return;
    if (!this.#server.changedBy.has(event.type)) {
      if (!this.#isOn) return;
      const changed = this.#changedBy(event);
      if (changed.length === 0) return;
      for (const id of changed) this.#changed.add(id);
    }
    this.#serveIn(gatherMs);
  }

  /**
   * Resolves when the adapter has the present settings of its server, or has failed to take them: what a user asks next
   * may need them.
   */
  async settled(): Promise<void> {
    if (this.#isRunning && this.#wanted().text !== this.#settings) {
      this.#cancel?.();
      this.#cancel = undefined;
      void this.#serve(this.#run);
    }
    await this.#settling;
  }

  #wanted(): { readonly settings: object | undefined; readonly text: string } {
    const settings = this.#server.settings(this.#host.kernel);
    return { settings, text: settings === undefined ? off : JSON.stringify(settings) };
  }

  #changedBy(event: LoggedEvent): readonly string[] {
    const { kernel } = this.#host;
    const { id } = event;
    if (kernel.get("device", id) !== undefined || this.#told.has(id)) {
      if (this.#server.showsAll && event.type === "DeviceReported")
        this.#notePress(event as LoggedEvent<DeviceReported>);
      return [id];
    }
    if (!this.#server.showsAll) return [];
    // The name of a room is part of what is in it.
    if (event.type === "RoomRenamed")
      return [...kernel.all("device"), ...kernel.all("group")]
        .filter(([, { room }]) => room.includes(id))
        .map(([each]) => each);
    return otherOf(kernel, id) === undefined ? [] : [id];
  }

  #notePress({ id, attributes }: LoggedEvent<DeviceReported>): void {
    const device = this.#host.kernel.get("device", id);
    if (!Object.hasOwn(attributes, "button") || device === undefined || !this.#isServed(device)) return;
    this.#presses.push([id, attributes["button"], attributes["modifiers"] ?? []]);
  }

  get #isOn(): boolean {
    return this.#settings !== undefined && this.#settings !== off;
  }

  #serveIn(ms: number): void {
    const run = this.#run;
    this.#cancel ??= this.#host.clock.after(ms, () => {
      this.#cancel = undefined;
      void this.#serve(run);
    });
  }

  /** Tells the adapter everything when its settings are others, and what has changed otherwise. */
  async #serve(run: number): Promise<void> {
    const { logger } = this.#host;
    const { settings, text } = this.#wanted();
    const full = text !== this.#settings;
    const changed = full ? (settings === undefined ? [] : this.#all()) : [...this.#changed];
    const presses = this.#presses;
    this.#changed.clear();
    this.#presses = [];
    if (!full && changed.length === 0) return;
    this.#settings = text;
    if (full) this.#told.clear();
    const others = changed.flatMap((id) => this.#otherEntryOf(id));
    const devices = changed.flatMap((id) => this.#entryOf(id));
    const more = {
      ...(full && { [this.#protocol]: settings ?? null }),
      ...(this.#server.showsAll && { others, presses }),
    };
    const telling = this.#adapter().request({ type: "SERVE_HOME", full, devices, ...more }, requestMs);
    if (full) this.#settling = Promise.allSettled([telling]);
    try {
      await telling;
    } catch (error) {
      if (run !== this.#run) return;
      logger.warn(
        { adapter: this.#protocol, reason: adapterErrorOf(error).message },
        "the server of another protocol was not told of the hub's devices",
      );
      // Everything is told again.
      this.#settings = undefined;
      this.#serveIn(retryMs);
      return;
    }
    if (run === this.#run && this.#taking !== run && this.#isOn) void this.#takeCommands(run);
  }

  #all(): string[] {
    const { kernel } = this.#host;
    const kinds = this.#server.showsAll ? shownKinds : (["device"] as const);
    return kinds.flatMap((kind) => [...kernel.all(kind)].map(([id]) => id));
  }

  #otherEntryOf(id: string): readonly ServedOther[] {
    if (!this.#server.showsAll) return [];
    const other = otherOf(this.#host.kernel, id);
    if (other === undefined || !this.#mayRead(id)) {
      if (this.#told.get(id) !== "other") return [];
      this.#told.delete(id);
      return [[id, null]];
    }
    this.#told.set(id, "other");
    return [[id, other]];
  }

  #entryOf(id: string): readonly Served[] {
    const { kernel } = this.#host;
    const device = kernel.get("device", id);
    if (this.#told.get(id) === "other") return [];
    if (device === undefined) return this.#told.delete(id) ? [[id, null]] : [];
    const before = this.#told.get(id);
    const now = this.#isServed(device) ? "shown" : "hidden";
    this.#told.set(id, now);
    if (now === "hidden") return before === "hidden" ? [] : [[id, "hidden"]];
    const { name, type, capabilities, state } = device;
    const served = { id, name, class: type, capabilities: capabilities.values, state };
    return [[id, this.#server.showsAll ? { ...served, ...detailsOf(kernel, device) } : served]];
  }

  /** Whether the user whose rights count may read an object of the home; all users may but guests, and hidden ones are not served. */
  #mayRead(id: string): boolean {
    const { kernel } = this.#host;
    const viewer = this.#server.viewer?.(kernel);
    if (viewer === undefined) return true;
    return viewer.role !== 0 && shownKinds.some((kind) => kernel.readable(kind, id, viewer));
  }

  /** Why the user whose rights count may not command an object; undefined: they may. */
  #forbidden(id: string): string | undefined {
    const { kernel } = this.#host;
    const role = this.#server.viewer?.(kernel)?.role;
    if (role === undefined) return undefined;
    const isRule = kernel.get("rule", id) !== undefined;
    const access = isRule ? "IDENTIFIED_USER" : "GUEST";
    return role === roles.REMOTE_GUEST || !allows(access, role)
      ? "the user of the broker may not do that"
      : undefined;
  }

  /** Nobody outside sees hidden devices, people's phones and cameras, and no protocol its own devices. */
  #isServed({ id, type, visible }: Device): boolean {
    if (!visible || type === "UI_DEVICE" || type === "CAMERA" || !this.#mayRead(id)) return false;
    return this.#host.kernel.get("binding", id)?.protocol !== this.#protocol;
  }

  /** Takes commands until the server is off, or another run begins. */
  async #takeCommands(run: number): Promise<void> {
    this.#taking = run;
    let outcomes: readonly object[] = [];
    while (run === this.#run && this.#settings !== off) {
      try {
        const request = { type: "TAKE_CLIENT_COMMANDS", outcomes, waitMs };
        const commands = (await this.#adapter().request(
          request,
          waitMs + requestMs,
        )) as readonly ClientCommand[];
        outcomes =
          run === this.#run ? await Promise.all(commands.map((command) => this.#carryOut(command))) : [];
      } catch (error) {
        outcomes = [];
        if (run !== this.#run) return;
        this.#host.logger.debug(
          { adapter: this.#protocol, reason: adapterErrorOf(error).message },
          "commands of clients were not taken",
        );
        await new Promise<void>((resolve) => this.#host.clock.after(retryMs, resolve));
      }
    }
    if (run === this.#run) this.#taking = undefined;
  }

  /** Returns the outcome as the adapter takes it: with an error when the hub refuses. */
  async #carryOut({ id, client, device, attributes }: ClientCommand): Promise<object> {
    const { kernel } = this.#host;
    const origin = `${this.#protocol as "bacnet"}:${client.slice(0, 64)}` as const;
    const command = this.#commandOf(device, attributes, origin);
    if (typeof command === "string") return { id, error: command };
    try {
      const outcome = await kernel.submit({ commands: [command], origin });
      return outcome.accepted ? { id } : { id, error: outcome.rejection.message };
    } catch (error) {
      return { id, error: (error as Error).message };
    }
  }

  /** Returns the command that carries a client's wish out; why there is none. */
  #commandOf(id: string, attributes: ClientCommand["attributes"], by: string): Command | string {
    const { kernel } = this.#host;
    const device = kernel.get("device", id);
    const forbidden = this.#forbidden(id);
    if (forbidden !== undefined) return forbidden;
    if (device !== undefined && this.#isServed(device)) {
      if (attributes === null) return { type: "RELEASE_OUTPUT", id, by } as Command;
      if (attributes["identify"] === true) return { type: "CMD_IDENTIFY", id } as Command;
      return { type: "CMD_DEVICE", id, state: attributes } as Command;
    }
    if (this.#server.showsAll && attributes !== null) {
      if (kernel.get("group", id) !== undefined)
        return { type: "SET_GROUP_STATE", id, state: attributes, byGuest: true } as Command;
      const { isOn } = attributes;
      const isScene = kernel.get("scene", id) !== undefined;
      if (isScene || kernel.get("rule", id) !== undefined) {
        if (typeof isOn !== "boolean") return "isOn: is missing";
        if (isScene) return { type: isOn ? "CMD_SCENE_ON" : "CMD_SCENE_OFF", id } as Command;
        return { type: isOn ? "RULE_ON_COMMAND" : "RULE_OFF_COMMAND", id } as Command;
      }
    }
    return "no such device";
  }
}

/** Returns a group, scene or rule as servers take it. */
function otherOf(kernel: Kernel, id: string): object | undefined {
  const group = kernel.get("group", id);
  if (group !== undefined) {
    const { name, members, room } = group;
    return { id, kind: "group", name, members, room: roomName(kernel, room) };
  }
  const scene = kernel.get("scene", id);
  if (scene !== undefined) return { id, kind: "scene", name: scene.name, isOn: scene.isOn };
  const rule = kernel.get("rule", id);
  return rule && { id, kind: "rule", name: rule.config.name, isOn: rule.is_on };
}

/** What only servers that show everything need of a device. */
function detailsOf(kernel: Kernel, device: Device): object {
  const { manufacturer, model, room } = device;
  const { buttons, effects } = device as Device & { readonly buttons?: unknown; readonly effects?: unknown };
  return {
    manufacturer,
    model,
    room: roomName(kernel, room),
    ...(Array.isArray(buttons) && { buttons }),
    ...(Array.isArray(effects) && { effects }),
  };
}

function roomName(kernel: Kernel, [id]: readonly string[]): string | null {
  return (id === undefined ? undefined : kernel.get("room", id)?.name) ?? null;
}
