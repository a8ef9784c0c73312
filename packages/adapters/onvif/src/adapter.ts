import { randomBytes } from "node:crypto";
import type { ConfigurationValues } from "@ledge/model";
import {
  type Adapter,
  AdapterError,
  type AdapterHost,
  type AdapterRequest,
  type DeviceCommand,
  type NativeId,
  type Pairing,
  type RequestTable,
} from "@ledge/port";
import type { Login, Place } from "@ledge/soap";
import { adapterErrorOfCamera, CameraError, cameraErrorOf } from "./camera-error.ts";
import { Camera, clientAt, type Surroundings, type Which } from "./camera.ts";
import type { OnvifClient } from "./client.ts";
import { Kept } from "./kept.ts";
import { greet, look } from "./look.ts";
import { setUser } from "./messages.ts";
import { probe } from "./probe.ts";
import { type Find, Search, tellFound } from "./search.ts";
import { type CameraSettings, readSettings, type Settings } from "./settings.ts";

/**
 * Makes the adapter for IP cameras that speak ONVIF. It takes no video: clients open the streams whose addresses it
 * tells.
 * @param random 0..1, spreads attempts to reach cameras
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new OnvifAdapter(random);
}

interface Running {
  readonly host: AdapterHost;
  readonly settings: Settings;
  readonly kept: Kept;
  readonly around: Surroundings;
  readonly cameras: Map<NativeId, Camera>;
  /** Cameras of the profile that were removed; a search finds them again. */
  readonly forgotten: Map<NativeId, Which>;
  readonly search: Search;
}

/** As long as its caller waits, with something left for the way. */
const probeMs = 8000;

class OnvifAdapter implements Adapter {
  readonly protocol = "onvif";
  readonly inFlight = 1;
  readonly #random: () => number;
  #running: Running | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    if (this.#running !== undefined) return;
    const settings = readSettings(host.settings);
    const kept = new Kept(host.store);
    const around: Surroundings = {
      host,
      reach: settings.reach,
      random: this.#random,
      randomBytes,
      keep: (native, known) =>
        void kept
          .setKnown(native, known)
          .catch((error: unknown) => host.log("warn", "not stored", { reason: (error as Error).message })),
    };
    const cameras = new Map<NativeId, Camera>();
    const search = new Search(settings, around, {
      withIdentity: (identity) => this.#withIdentity(identity) !== undefined,
      at: (place) => this.#atPlace(place)?.native,
    });
    const running = { host, settings, kept, around, cameras, search, forgotten: new Map<NativeId, Which>() };
    this.#running = running;
    for (const camera of settings.cameras) attach(running, ofProfile(camera, kept));
    for (const { native, name, place } of kept.paired)
      attach(running, {
        native,
        name,
        host: place.address,
        port: place.port,
        isSecure: place.isSecure === true,
        login: kept.loginOf(native),
        identity: native,
        known: kept.knownOf(native),
      });
    await Promise.all([...cameras.values()].map(({ tried }) => tried));
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.search.close();
    await Promise.all([...(running?.cameras.values() ?? [])].map((camera) => camera.stop()));
  }

  async send(native: NativeId, { type }: DeviceCommand, signal: AbortSignal): Promise<void> {
    const camera = this.#camera(native);
    if (signal.aborted) throw new AdapterError("cancelled", "nobody waits");
    if (type === "refresh") await camera.refresh(signal);
    else if (type === "snapshot") await camera.picture(signal);
    else throw new AdapterError("unsupported", `a camera knows no ${type}`);
  }

  async forget(native: NativeId): Promise<void> {
    const running = this.#running;
    const camera = running?.cameras.get(native);
    if (running === undefined || camera === undefined) return;
    running.cameras.delete(native);
    if (running.settings.cameras.some(({ id }) => id === native))
      running.forgotten.set(native, { ...camera.which, known: camera.known });
    await camera.stop();
    await running.kept.unpair(native);
  }

  readonly pairing: Pairing = {
    open: async (windowMs) => {
      const { host, search, forgotten } = this.#now();
      search.open(windowMs);
      for (const { native, name, login, known } of forgotten.values())
        if (known !== undefined) tellFound(host, native, known, name, login);
    },
    close: async () => this.#running?.search.close(),
    keep: async (native) => {
      const running = this.#now();
      const present = running.cameras.get(native);
      const old = running.forgotten.get(native);
      const find = running.search.take(native);
      if (present !== undefined) present.announce();
      else if (old !== undefined) {
        running.forgotten.delete(native);
        attach(running, old);
      } else if (find !== undefined) await this.#pair(running, find);
      else throw new AdapterError("refused", `no camera ${native}`);
    },
    discard: async (native) => {
      this.#running?.search.take(native);
    },
  };

  readonly requests: RequestTable = {
    CAMERA_AT_IP: (request, signal) => this.#at(request, signal),
    SEARCH: async (_, signal) => await this.#now().search.once(signal),
    USE_CREDENTIALS: (request, signal) => this.#use(request, signal),
    CHANGE_CREDENTIALS: (request, signal) => this.#changeLogin(request, signal),
    SET_CONFIGURATION: async ({ native, parameters }, signal) => {
      await this.#camera(String(native)).move(parameters as ConfigurationValues, signal);
      return true;
    },
  };

  /** Looks for a camera at an address; pairs it if the request says so, unless a search is open in which a user chooses. */
  async #at({ ip, username, password, pair }: AdapterRequest, signal: AbortSignal): Promise<object> {
    const running = this.#now();
    const { around, search, kept } = running;
    const login = loginIn(username, password);
    const ends = AbortSignal.any([signal, AbortSignal.timeout(probeMs)]);
    const found = await probe(String(ip), login, around, ends);
    if ("code" in found) return { code: found.code, host: null };
    const { place, known } = found;
    const name = [known.manufacturer, known.model].filter((each) => each !== null).join(" ") || "Camera";
    const host = { identifier: known.identity, ip: place.address, name, manufacturer: known.manufacturer };
    const present = this.#withIdentity(known.identity);
    if (present !== undefined) {
      if (login !== undefined) await kept.setLogin(present.native, login);
      const moved = { name: present.which.name, native: present.native, place };
      if (present.which.identity !== undefined) await kept.pair(moved);
      // Whoever pairs it again takes the certificate that it has now.
      await kept.setKnown(present.native, known);
      const { address, port, isSecure = false } = place;
      present.change({ host: address, port, isSecure, known, ...(login && { login }) });
      return { code: 1, host: { ...host, model: known.model } };
    }
    if (this.#atPlace(place) !== undefined) return { code: 14, host: null };
    const find = { native: known.identity, name, place, login, known };
    if (search.isOpen) search.tell(find);
    else if (pair === true) await this.#pair(running, find);
    return { code: 0, host: { ...host, model: known.model } };
  }

  async #pair(running: Running, { native, name, place, login, known }: Find): Promise<void> {
    const { kept } = running;
    if (login !== undefined) await kept.setLogin(native, login);
    await kept.setKnown(native, known);
    await kept.pair({ native, name, place });
    if (this.#running !== running) return;
    const { address, port, isSecure = false } = place;
    attach(running, { native, name, host: address, port, isSecure, login, identity: native, known });
  }

  /** Tries the login that the hub is to have at a camera, and keeps it where it fits. */
  async #use({ native, username, password }: AdapterRequest, signal: AbortSignal): Promise<object> {
    const camera = this.#camera(String(native));
    const login: Login = { username: String(username), password: String(password) };
    const said = (credentialStatus: "OK" | "ERROR"): object => ({
      type: "CREDENTIALS_RESULT",
      credentialStatus,
    });
    try {
      await this.#checked(camera, login, signal);
    } catch (error) {
      if (cameraErrorOf(error).failure === "credentials") return said("ERROR");
      throw adapterErrorOfCamera(error);
    }
    await this.#now().kept.setLogin(camera.native, login);
    camera.change({ login });
    return said("OK");
  }

  /** Gives the hub's user at a camera another password. */
  async #changeLogin({ native, username, password }: AdapterRequest, signal: AbortSignal): Promise<object> {
    const camera = this.#camera(String(native));
    const { login } = camera.which;
    const next: Login = { username: String(username), password: String(password) };
    if (login === undefined || login.username !== next.username)
      throw new AdapterError("refused", "username: is not the one that the hub uses at this camera");
    if (next.password === "") throw new AdapterError("refused", "password: is empty");
    try {
      const client = await this.#checked(camera, login, signal);
      await client.ask(setUser(next.username, next.password), signal);
    } catch (error) {
      const { failure } = cameraErrorOf(error);
      if (failure === "credentials") return { type: "CREDENTIALS_RESULT", credentialStatus: "ERROR" };
      // A camera may repeat what it refuses.
      if (failure === "unsupported") throw new AdapterError("refused", "password: the camera refuses it");
      throw adapterErrorOfCamera(error);
    }
    await this.#now().kept.setLogin(camera.native, next);
    camera.change({ login: next });
    return { type: "CREDENTIALS_RESULT", credentialStatus: "OK" };
  }

  /** Returns a client whose login a camera takes. @throws CameraError */
  async #checked(camera: Camera, login: Login, signal: AbortSignal): Promise<OnvifClient> {
    const { around } = this.#now();
    const client = clientAt(await camera.place(), login, around, camera.known?.certificate);
    await greet(client, signal);
    const { identity } = await look(client, login.password, signal);
    const expected = camera.known?.identity;
    if (expected !== undefined && identity !== expected)
      throw new CameraError("wrong", "another camera answers at this address");
    return client;
  }

  #withIdentity(identity: NativeId): Camera | undefined {
    return [...(this.#running?.cameras.values() ?? [])].find(({ known }) => known?.identity === identity);
  }

  #atPlace({ address, port }: Place): Camera | undefined {
    return [...(this.#running?.cameras.values() ?? [])].find(
      ({ which }) => which.host === address && which.port === port,
    );
  }

  #camera(native: NativeId): Camera {
    const camera = this.#now().cameras.get(native);
    if (camera === undefined) throw new AdapterError("refused", `no camera ${native}`);
    return camera;
  }

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }
}

function attach({ cameras, around }: Running, which: Which): void {
  cameras.set(which.native, new Camera(which, around));
}

function ofProfile({ id, name, host, port, isSecure, login }: CameraSettings, kept: Kept): Which {
  return {
    native: id,
    name,
    host,
    port,
    isSecure,
    login: kept.loginOf(id) ?? login,
    identity: undefined,
    known: kept.knownOf(id),
  };
}

function loginIn(username: unknown, password: unknown): Login | undefined {
  if (typeof username !== "string" || username === "") return undefined;
  return { username, password: typeof password === "string" ? password : "" };
}
