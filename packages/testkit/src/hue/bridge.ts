import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { makeSelfSigned } from "@ledge/host/self-signed";
import {
  type ButtonEvent,
  exampleSensors,
  firstSensors,
  secondResources,
  type SimulatedSensor,
} from "./sensors.ts";

/** A lamp of a simulated bridge, in the units of its first interface. */
export interface SimulatedLamp {
  readonly id: string;
  name: string;
  readonly type: string;
  readonly model: string;
  on: boolean;
  bri?: number;
  /** Mired; absent in a lamp without white. */
  ct?: number;
  hue?: number;
  sat?: number;
  mode?: "ct" | "hs";
  reachable: boolean;
  /** It never answers a command. */
  isMute?: boolean;
}

export interface SimulatedGroup {
  readonly id: string;
  readonly name: string;
  readonly lamps: readonly string[];
}

/** A scene sets all lamps of its group. */
export interface SimulatedScene {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  readonly bri: number;
}

type Json = Readonly<Record<string, unknown>>;

const linkMs = 30_000;

/** A Hue bridge on 127.0.0.1: the first interface over HTTP or HTTPS, the second over HTTPS. */
export class SimulatedBridge {
  readonly id = "001788fffe123456";
  readonly lamps: SimulatedLamp[] = exampleLamps();
  readonly groups: SimulatedGroup[] = [{ id: "1", name: "Kitchen", lamps: ["1", "2"] }];
  readonly scenes: SimulatedScene[] = [{ id: "Ab1", name: "Relax", group: "1", bri: 100 }];
  /** None, unless a test adds some before the start of its hub. */
  readonly sensors: SimulatedSensor[] = [];
  readonly keys = new Set<string>();
  readonly #isSecure: boolean;
  #certificate = makeSelfSigned("001788fffe123456");
  #server: Server | undefined;
  #port = 0;
  #pressedAt = Number.NEGATIVE_INFINITY;
  readonly #streams = new Set<ServerResponse>();
  /** Requests so far, as `GET /api/…`. */
  readonly asked: string[] = [];

  private constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
  }

  /** @param isSecure of the second generation, with HTTPS and the second interface */
  static async start(isSecure: boolean, port = 0): Promise<SimulatedBridge> {
    const bridge = new SimulatedBridge(isSecure);
    bridge.#port = port;
    await bridge.restart();
    return bridge;
  }

  get origin(): string {
    return `${this.#isSecure ? "https" : "http"}://127.0.0.1:${this.#port}`;
  }

  /** Presses the button: for 30 s it gives keys. */
  press(): void {
    this.#pressedAt = Date.now();
  }

  /** Ends all connections at once and no longer listens. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  /** Comes back at the same port, with its keys. */
  async restart(): Promise<void> {
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response).catch(() => response.destroy());
    };
    const { key, certificate } = this.#certificate;
    const server = this.#isSecure ? createHttps({ key, cert: certificate }, handle) : createHttp(handle);
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Puts another certificate in the place of its own; counts from the next restart on. */
  replaceCertificate(): void {
    this.#certificate = makeSelfSigned("001788fffe123456");
  }

  /** Changes a lamp as somebody with another app would. */
  change(id: string, state: Partial<SimulatedLamp>): void {
    const lamp = this.lamps.find((each) => each.id === id);
    if (lamp === undefined) return;
    Object.assign(lamp, state);
    this.#tell([this.#light(lamp), this.#connectivity(lamp)]);
    this.#tellGroups();
  }

  /** Changes what a sensor measures. */
  sense(id: number, measured: Partial<SimulatedSensor>): void {
    const sensor = this.sensors.find((each) => each.id === id);
    if (sensor === undefined) return;
    Object.assign(sensor, measured);
    this.#tell(secondResources(sensor).slice(1));
  }

  /** Presses a button of a dimmer switch; several events go out in one message. */
  pushButton(id: number, button: number, ...events: readonly ButtonEvent[]): void {
    const sensor = this.sensors.find((each) => each.id === id);
    if (sensor === undefined) return;
    const told = events.flatMap((event) => {
      sensor.pressed = { button, event, at: (sensor.pressed?.at ?? 0) + 1 };
      return secondResources(sensor).filter(
        ({ metadata }) => (metadata as Json | undefined)?.["control_id"] === button,
      );
    });
    this.#tell(told);
  }

  /** Adds a lamp, or takes it away. */
  put(lamp: SimulatedLamp): void {
    this.lamps.push(lamp);
    this.#send([{ type: "add", data: [this.#light(lamp)] }]);
  }

  remove(id: string): void {
    const at = this.lamps.findIndex((each) => each.id === id);
    const [lamp] = at < 0 ? [] : this.lamps.splice(at, 1);
    if (lamp !== undefined) this.#send([{ type: "delete", data: [{ id: ridOf(lamp.id), type: "light" }] }]);
  }

  /** Returns what both interfaces answer, for tests that change it. Needs no start. */
  static exampleAnswers(): Readonly<
    Record<"lights" | "groups" | "scenes" | "sensors" | "resources" | "events", unknown>
  > {
    const bridge = new SimulatedBridge(true);
    bridge.sensors.push(...exampleSensors());
    const [dimmer] = bridge.sensors;
    bridge.pushButton(dimmer?.id ?? 0, 1, "short_release");
    const pressed = bridge.sensors.flatMap((sensor) => secondResources(sensor));
    const [lamp] = bridge.lamps;
    const update = lamp === undefined ? [] : [bridge.#light(lamp), bridge.#connectivity(lamp)];
    return {
      lights: bridge.#firstLights(),
      groups: bridge.#firstGroups(),
      scenes: bridge.#firstScenes(),
      sensors: firstSensors(bridge.sensors),
      resources: { errors: [], data: bridge.#resources() },
      events: [{ type: "update", data: [...update, ...pressed] }],
    };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    this.asked.push(`${method} ${url}`);
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body = (text === "" ? {} : JSON.parse(text)) as Json;
    const [, first, ...rest] = url.split("/");
    if (first === "api") this.#first(method, rest, body, response);
    else if (!this.#isSecure) answer(response, 404, {});
    else if (!this.keys.has(String(request.headers["hue-application-key"]))) answer(response, 403, {});
    else if (url === "/eventstream/clip/v2") this.#stream(response);
    else if (url.startsWith("/clip/v2/resource")) this.#second(method, rest.slice(2), body, response);
    else answer(response, 404, {});
  }

  #first(method: string, [key, kind, id]: readonly string[], body: Json, response: ServerResponse): void {
    const config = {
      name: "Hue Bridge",
      bridgeid: this.id.toUpperCase(),
      modelid: "BSB002",
      mac: "00:17:88:12:34:56",
    };
    if (key === undefined && method === "POST") {
      answer(response, 200, this.#newKey(body));
      return;
    }
    if (key === "config") answer(response, 200, config);
    else if (key === undefined || !this.keys.has(key)) answer(response, 200, failure(1, "unauthorized user"));
    else if (method === "PUT") this.#setFirst(String(kind), String(id), body, response);
    else if (method === "DELETE") {
      this.keys.delete(key);
      answer(response, 200, [{ success: "deleted" }]);
    } else if (kind === "lights") answer(response, 200, this.#firstLights());
    else if (kind === "groups") answer(response, 200, this.#firstGroups());
    else if (kind === "scenes") answer(response, 200, this.#firstScenes());
    else if (kind === "sensors") answer(response, 200, firstSensors(this.sensors));
    else answer(response, 200, failure(3, "resource not available"));
  }

  #newKey({ devicetype }: Json): unknown {
    if (typeof devicetype !== "string" || devicetype.length > 40) return failure(7, "invalid value");
    if (Date.now() - this.#pressedAt > linkMs) return failure(101, "link button not pressed");
    const username = `key-${this.keys.size}-${"x".repeat(30)}`;
    this.keys.add(username);
    return [{ success: { username } }];
  }

  #setFirst(kind: string, id: string, body: Json, response: ServerResponse): void {
    const lamp = this.lamps.find((each) => each.id === id);
    const group = this.groups.find((each) => each.id === id);
    if (kind === "lights" && lamp !== undefined) {
      if (lamp.isMute === true) return;
      if (!lamp.on && body["on"] !== true && body["bri"] !== undefined) {
        answer(response, 200, failure(201, "parameter, bri, is not modifiable. Device is set to off."));
        return;
      }
      setFrom(lamp, body);
    } else if (kind === "groups" && group !== undefined) {
      const scene = this.scenes.find((each) => each.id === body["scene"]);
      const state = scene === undefined ? body : { on: true, bri: scene.bri };
      for (const member of this.#members(group)) setFrom(member, state);
    } else {
      answer(response, 200, failure(3, `resource, /${kind}/${id}, not available`));
      return;
    }
    answer(
      response,
      200,
      Object.entries(body).map(([name, value]) => ({ success: { [`/${kind}/${id}/state/${name}`]: value } })),
    );
  }

  #second(method: string, [type, rid]: readonly string[], body: Json, response: ServerResponse): void {
    if (method === "GET") {
      const all = this.#resources();
      const data = type === undefined ? all : all.filter((each) => each["type"] === type);
      answer(response, 200, { errors: [], data });
      return;
    }
    const lamp = this.lamps.find((each) => ridOf(each.id) === rid);
    const group = this.groups.find((each) => groupRidOf(each.id) === rid);
    const scene = this.scenes.find((each) => each.id === rid);
    if (lamp?.isMute === true) return;
    if (lamp === undefined && group === undefined && scene === undefined) {
      answer(response, 404, { errors: [{ description: "resource not found" }], data: [] });
      return;
    }
    answer(response, 200, { errors: [], data: [{ rid, rtype: type }] });
    const state = secondState(body);
    const sceneGroup = this.groups.find((each) => each.id === scene?.group);
    const lamps = lamp === undefined ? this.#members(group ?? (sceneGroup as SimulatedGroup)) : [lamp];
    for (const each of lamps) {
      setFrom(each, scene === undefined ? state : { on: true, bri: scene.bri });
      this.#tell([this.#light(each)]);
    }
    this.#tellGroups();
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": hi\n\n");
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
  }

  #tell(data: readonly Json[]): void {
    this.#send([{ type: "update", creationtime: "2026-01-01T00:00:00Z", id: "e", data }]);
  }

  #tellGroups(): void {
    this.#tell(this.groups.map((group) => this.#grouped(group)));
  }

  #send(events: readonly Json[]): void {
    for (const stream of this.#streams) stream.write(`id: 1:0\ndata: ${JSON.stringify(events)}\n\n`);
  }

  #members({ lamps }: SimulatedGroup): readonly SimulatedLamp[] {
    return this.lamps.filter(({ id }) => lamps.includes(id));
  }

  #firstLights(): Json {
    return Object.fromEntries(this.lamps.map((lamp) => [lamp.id, firstLight(lamp)]));
  }

  #firstGroups(): Json {
    return Object.fromEntries(this.groups.map((group) => [group.id, this.#firstGroup(group)]));
  }

  #firstScenes(): Json {
    return Object.fromEntries(
      this.scenes.map(({ id, name, group }) => [id, { name, group, type: "GroupScene" }]),
    );
  }

  #firstGroup(group: SimulatedGroup): Json {
    const members = this.#members(group);
    const [first] = members;
    const {
      on: _,
      reachable: __,
      ...action
    } = first === undefined ? {} : (firstLight(first)["state"] as Json);
    return {
      name: group.name,
      type: "Room",
      lights: group.lamps,
      state: { any_on: members.some(({ on }) => on), all_on: members.every(({ on }) => on) },
      action: { on: first?.on ?? false, ...action },
    };
  }

  #resources(): readonly Json[] {
    return [
      { id: "bridge-0", type: "bridge", bridge_id: this.id },
      ...this.lamps.flatMap((lamp) => [this.#light(lamp), this.#device(lamp), this.#connectivity(lamp)]),
      ...this.sensors.flatMap((sensor) => secondResources(sensor)),
      ...this.groups.flatMap((group) => [this.#room(group), this.#grouped(group)]),
      ...this.scenes.map(({ id, name, group }) => ({
        id,
        type: "scene",
        metadata: { name },
        group: { rid: roomRidOf(group), rtype: "room" },
      })),
    ];
  }

  #light({ id, on, bri, ct, hue, mode }: SimulatedLamp): Json {
    return {
      id: ridOf(id),
      id_v1: `/lights/${id}`,
      type: "light",
      owner: { rid: deviceRidOf(id), rtype: "device" },
      on: { on },
      ...(bri !== undefined && { dimming: { brightness: (bri / 254) * 100 } }),
      ...(ct !== undefined && {
        color_temperature: {
          mirek: mode === "hs" ? null : ct,
          mirek_schema: { mirek_minimum: 153, mirek_maximum: 500 },
        },
      }),
      ...(hue !== undefined && { color: { xy: { x: 0.64, y: 0.33 }, gamut_type: "C" } }),
    };
  }

  #device({ id, name, model, type }: SimulatedLamp): Json {
    const archetype = /plug/i.test(type) ? "plug" : "sultan_bulb";
    return {
      id: deviceRidOf(id),
      type: "device",
      metadata: { name, archetype },
      product_data: {
        manufacturer_name: "Signify Netherlands B.V.",
        model_id: model,
        product_archetype: archetype,
      },
      services: [{ rid: ridOf(id), rtype: "light" }],
    };
  }

  #connectivity({ id, reachable }: SimulatedLamp): Json {
    return {
      id: `connectivity-${id}`,
      type: "zigbee_connectivity",
      owner: { rid: deviceRidOf(id), rtype: "device" },
      status: reachable ? "connected" : "connectivity_issue",
    };
  }

  #room({ id, name, lamps }: SimulatedGroup): Json {
    return {
      id: roomRidOf(id),
      id_v1: `/groups/${id}`,
      type: "room",
      metadata: { name },
      children: lamps.map((lamp) => ({ rid: deviceRidOf(lamp), rtype: "device" })),
      services: [{ rid: groupRidOf(id), rtype: "grouped_light" }],
    };
  }

  #grouped(group: SimulatedGroup): Json {
    const members = this.#members(group);
    return {
      id: groupRidOf(group.id),
      type: "grouped_light",
      owner: { rid: roomRidOf(group.id), rtype: "room" },
      on: { on: members.some(({ on }) => on) },
      dimming: { brightness: ((members[0]?.bri ?? 0) / 254) * 100 },
    };
  }
}

const ridOf = (id: string): string => `light-${id}`;
const deviceRidOf = (id: string): string => `device-${id}`;
const roomRidOf = (id: string): string => `room-${id}`;
const groupRidOf = (id: string): string => `grouped-${id}`;

function firstLight({ name, type, model, on, bri, ct, hue, sat, mode, reachable }: SimulatedLamp): Json {
  return {
    name,
    type,
    modelid: model,
    manufacturername: "Signify Netherlands B.V.",
    state: {
      on,
      reachable,
      ...(bri !== undefined && { bri }),
      ...(ct !== undefined && { ct }),
      ...(hue !== undefined && { hue, sat, xy: [0.64, 0.33] }),
      ...(mode !== undefined && { colormode: mode }),
    },
    ...(ct !== undefined && { capabilities: { control: { ct: { min: 153, max: 500 } } } }),
  };
}

function setFrom(lamp: SimulatedLamp, { on, bri, ct, hue, sat, isColor }: Json): void {
  if (typeof on === "boolean") lamp.on = on;
  if (typeof bri === "number" && lamp.bri !== undefined) lamp.bri = bri;
  if (typeof ct === "number" && lamp.ct !== undefined) Object.assign(lamp, { ct, mode: "ct" });
  if (typeof hue === "number" && lamp.hue !== undefined) Object.assign(lamp, { hue, mode: "hs" });
  if (typeof sat === "number" && lamp.sat !== undefined) Object.assign(lamp, { sat, mode: "hs" });
  if (isColor === true && lamp.hue !== undefined) lamp.mode = "hs";
}

/** Returns what a body of the second interface sets, in units of the first. */
function secondState({ on, dimming, color_temperature: white, color }: Json): Json {
  const brightness = (dimming as Json | undefined)?.["brightness"];
  return {
    on: (on as Json | undefined)?.["on"],
    bri: typeof brightness === "number" ? Math.round((brightness / 100) * 254) : undefined,
    ct: (white as Json | undefined)?.["mirek"],
    isColor: color !== undefined,
  };
}

function failure(type: number, description: string): unknown {
  return [{ error: { type, address: "", description } }];
}

function answer(response: ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(json));
}

function exampleLamps(): SimulatedLamp[] {
  const color = { type: "Extended color light", model: "LCA001", bri: 254, ct: 366, hue: 0, sat: 254 };
  return [
    { id: "1", name: "Sink", ...color, mode: "ct", on: false, reachable: true },
    { id: "2", name: "Table", type: "Dimmable light", model: "LWA001", bri: 127, on: true, reachable: true },
    { id: "3", name: "Fan", type: "On/Off plug-in unit", model: "LOM001", on: false, reachable: true },
    {
      id: "9",
      name: "Mute",
      type: "Dimmable light",
      model: "LWA001",
      bri: 10,
      on: true,
      reachable: true,
      isMute: true,
    },
  ];
}
