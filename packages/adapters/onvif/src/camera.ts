import type { ConfigurationValues } from "@ledge/model";
import { AdapterError, type AdapterHost, type NativeId, pause, reopenDelay } from "@ledge/port";
import { addressOf, authorityOf, type Login, Pin, type Place, type Reach } from "@ledge/soap";
import { readMotion, readPosition, readSubscription, readTime } from "./answers.ts";
import { adapterErrorOfCamera, CameraError, cameraErrorOf } from "./camera-error.ts";
import { OnvifClient } from "./client.ts";
import { type CredentialStatus, descriptionOf, settingNames } from "./description.ts";
import { greet, type Known, look } from "./look.ts";
import {
  absoluteMove,
  getStatus,
  getTime,
  gotoPreset,
  type Position,
  pull,
  pullS,
  renew,
  type Subscription,
  subscribe,
  subscriptionS,
  unsubscribe,
} from "./messages.ts";

/** What all cameras of an adapter share. */
export interface Surroundings {
  readonly host: AdapterHost;
  readonly reach: Reach;
  /** 0..1, spreads attempts to reach a camera. */
  readonly random: () => number;
  readonly randomBytes: (bytes: number) => Buffer;
  /** Keeps what a camera is, for times at which it is away. */
  readonly keep: (native: NativeId, known: Known) => void;
}

/** Which camera it is. `identity`: of its hardware, if it may be no other. */
export interface Which {
  readonly native: NativeId;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly login: Login | undefined;
  readonly identity: NativeId | undefined;
  readonly known: Known | undefined;
}

const requestMs = 5000;
/** A camera without events is asked for its time now and then, to see whether it is there. */
const pingMs = 15_000;

/**
 * Returns a client that asks the camera at a place; it has not asked anything yet.
 * @param login undefined: it asks as nobody
 * @param certificate that it must show, SHA-256; undefined: any, but one alone
 */
export function clientAt(
  place: Place,
  login: Login | undefined,
  { host, randomBytes }: Surroundings,
  certificate?: string,
): OnvifClient {
  return new OnvifClient({
    place,
    login,
    pin: new Pin(certificate),
    now: () => host.clock.now(),
    random: randomBytes,
    timeoutMs: requestMs,
  });
}

interface Connection {
  readonly client: OnvifClient;
  readonly known: Known;
}

/** One camera: connects, tells what it sees, and connects again when it was lost. */
export class Camera {
  readonly native: NativeId;
  readonly #around: Surroundings;
  readonly #stop = new AbortController();
  #which: Which;
  #known: Known | undefined;
  #status: CredentialStatus = "OK";
  #connection: Connection | undefined;
  /** Ends the present attempt or connection; another follows at once. */
  #again = new AbortController();
  readonly #moving = new Set<string>();
  readonly #done: Promise<void>;
  readonly #tried = Promise.withResolvers<void>();

  constructor(which: Which, around: Surroundings) {
    this.native = which.native;
    this.#which = which;
    this.#known = which.known;
    this.#around = around;
    if (this.#known !== undefined) this.announce();
    this.#done = this.#run();
  }

  /** Resolves when it is connected, or the first attempt has failed. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  get which(): Which {
    return this.#which;
  }

  get known(): Known | undefined {
    return this.#known;
  }

  /** Returns where it is now. @throws ForeignAddress */
  async place(): Promise<Place> {
    const { host, port, isSecure } = this.#which;
    const address = await addressOf(host, this.#around.reach);
    return { address, port, ...(isSecure && { isSecure }) };
  }

  announce(): void {
    if (this.#known === undefined) return;
    const { name, login } = this.#which;
    const shown = { name, username: login?.username ?? null, credentialStatus: this.#status };
    this.#around.host.announce(descriptionOf(this.native, this.#known, shown));
  }

  /** Connects anew, with another login, at another place or with another certificate. */
  change({ known, ...news }: Partial<Pick<Which, "login" | "host" | "port" | "isSecure" | "known">>): void {
    this.#which = { ...this.#which, ...news };
    this.#known = known ?? this.#known;
    this.#again.abort();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /** Asks whether it is there, and reports all that it shows. @throws AdapterError */
  async refresh(signal: AbortSignal): Promise<void> {
    const { client } = this.#connected();
    await this.#asking(client.ask(getTime, this.#with(signal), { withoutLogin: true }));
    this.#report();
  }

  /** Takes a picture. @throws AdapterError */
  async picture(signal: AbortSignal): Promise<Buffer> {
    const { client, known } = this.#connected();
    const uri = known.streams.find(({ snapshotUri }) => snapshotUri !== null)?.snapshotUri;
    if (uri === undefined || uri === null)
      throw new AdapterError("unsupported", "the camera has no pictures");
    return await this.#asking(client.picture(uri, this.#with(signal)));
  }

  /** Sends it to a place. @throws AdapterError */
  async move(values: ConfigurationValues, signal: AbortSignal): Promise<void> {
    const { client, known } = this.#connected();
    const { moves } = known;
    if (moves === null) throw new AdapterError("unsupported", "the camera does not move");
    const ends = this.#with(signal);
    const preset = values[settingNames.preset];
    if (typeof preset === "string") await this.#asking(client.ask(gotoPreset(moves, preset), ends));
    const wanted = positionIn(values, known.position);
    if (wanted !== undefined) await this.#asking(client.ask(absoluteMove(moves, wanted), ends));
    const position = await this.#asking(client.ask(getStatus(moves), ends))
      .then(readPosition)
      .catch(() => undefined);
    this.#learn({ ...known, position: position ?? wanted ?? known.position }, client);
  }

  async #run(): Promise<void> {
    const { host, random } = this.#around;
    for (let attempt = 0; !this.#stop.signal.aborted; attempt += 1) {
      const again = (this.#again = new AbortController());
      const signal = AbortSignal.any([again.signal, this.#stop.signal]);
      let wasConnected = false;
      try {
        const connection = await this.#connect(signal);
        wasConnected = true;
        attempt = 0;
        this.#tried.resolve();
        await this.#watch(connection, signal);
      } catch (error) {
        if (!signal.aborted) this.#failed(cameraErrorOf(error), wasConnected || attempt === 0);
      }
      this.#connection = undefined;
      this.#moving.clear();
      this.#tried.resolve();
      if (!signal.aborted) await pause(host.clock, reopenDelay(attempt, random()), signal);
    }
  }

  #failed(error: CameraError, isNews: boolean): void {
    const { host } = this.#around;
    const { failure, message } = error;
    const status = failure === "credentials" ? "INSUFFICIENT" : this.#status;
    if (status !== this.#status) {
      this.#status = status;
      this.announce();
    }
    if (this.#known !== undefined)
      host.report({
        native: this.native,
        attributes: { reachable: false, isOn: false, connectionState: stateOf(failure) },
      });
    if (isNews) host.log("warn", "camera lost", { camera: this.native, reason: message });
  }

  /** @throws CameraError */
  async #connect(signal: AbortSignal): Promise<Connection> {
    const { login, identity } = this.#which;
    const place = await this.place();
    const client = clientAt(place, login, this.#around, this.#known?.certificate);
    await greet(client, signal);
    const known = await look(client, login?.password, signal);
    const expected = identity ?? this.#known?.identity;
    if (expected !== undefined && known.identity !== expected)
      throw new CameraError("wrong", `another camera answers at ${authorityOf(place)}`);
    this.#status = "OK";
    const connection = this.#learn(known, client);
    this.#report();
    return connection;
  }

  #learn(known: Known, client: OnvifClient): Connection {
    if (JSON.stringify(known) !== JSON.stringify(this.#known)) this.#around.keep(this.native, known);
    this.#known = known;
    this.announce();
    return (this.#connection = { client, known });
  }

  #report(): void {
    const { known } = this.#connected();
    this.#around.host.report({
      native: this.native,
      attributes: {
        reachable: true,
        isOn: true,
        connectionState: "CONNECTED",
        media: known.streams[0]?.token ?? "",
        ...(known.seesMotion && { motion: this.#moving.size > 0 }),
      },
    });
  }

  /** Resolves never. @throws CameraError when the camera is gone */
  async #watch({ client, known }: Connection, signal: AbortSignal): Promise<void> {
    const subscription = known.seesMotion ? await this.#subscribed(client, signal) : undefined;
    if (subscription === undefined) {
      for (;;) {
        await pause(this.#around.host.clock, pingMs, signal);
        client.learn({ time: readTime(await client.ask(getTime, signal, { withoutLogin: true })) });
      }
    }
    const path = subscription.address;
    try {
      for (let last = this.#around.host.clock.now(); ;) {
        const answer = await client.ask(pull(subscription), signal, {
          path,
          timeoutMs: pullS * 1000 + requestMs,
        });
        this.#saw(readMotion(answer));
        const now = this.#around.host.clock.now();
        if (now - last < (subscriptionS * 1000) / 4) continue;
        last = now;
        await client.ask(renew(subscription), signal, { path });
      }
    } finally {
      // A camera bears few subscriptions, and keeps each until it ends by itself.
      await client.ask(unsubscribe(subscription), undefined, { path, timeoutMs: 500 }).catch(() => {});
    }
  }

  async #subscribed(client: OnvifClient, signal: AbortSignal): Promise<Subscription | undefined> {
    const { host } = this.#around;
    try {
      const told = readSubscription(await client.ask(subscribe, signal));
      if (told === undefined || !client.takes(told.address))
        throw new CameraError("unsupported", "has no subscription");
      return told;
    } catch (error) {
      if (cameraErrorOf(error).failure !== "unsupported") throw error;
      host.log("warn", "a camera tells no events", {
        camera: this.native,
        reason: (error as Error).message,
      });
      return undefined;
    }
  }

  #saw(news: ReturnType<typeof readMotion>): void {
    for (const { source, isMoving } of news) {
      const wasMoving = this.#moving.size > 0;
      if (!isMoving) this.#moving.delete(source);
      else if (this.#moving.size < 64) this.#moving.add(source);
      const motion = this.#moving.size > 0;
      if (motion !== wasMoving) this.#around.host.report({ native: this.native, attributes: { motion } });
    }
  }

  #connected(): Connection {
    if (this.#connection === undefined) throw new AdapterError("unreachable", "the camera is not connected");
    return this.#connection;
  }

  #with(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#stop.signal]);
  }

  async #asking<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (this.#stop.signal.aborted) throw new AdapterError("stopped", "the adapter has stopped");
      throw adapterErrorOfCamera(error);
    }
  }
}

function stateOf(failure: CameraError["failure"]): string {
  if (failure === "credentials") return "CREDENTIALS";
  if (failure === "certificate") return "CERTIFICATE";
  return failure === "wrong" ? "WRONG_CAMERA" : "DISCONNECTED";
}

/** Returns the place that settings ask for; a direction that they leave out stays as it is. */
function positionIn(values: ConfigurationValues, now: Position | null): Position | undefined {
  const number = (name: string): number | undefined => {
    const value = values[name];
    return typeof value === "number" ? value : undefined;
  };
  const { pan, tilt, zoom } = {
    pan: number(settingNames.pan),
    tilt: number(settingNames.tilt),
    zoom: number(settingNames.zoom),
  };
  if (pan === undefined && tilt === undefined && zoom === undefined) return undefined;
  return { pan: pan ?? now?.pan, tilt: tilt ?? now?.tilt, zoom: zoom ?? now?.zoom };
}
