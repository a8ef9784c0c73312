import { randomBytes } from "node:crypto";
import { type Clock, type Kernel, type KernelOptions, openKernel } from "@ledge/kernel";
import {
  generateIssuerKey,
  type HubKeyClaims,
  type IssuerKey,
  keySetOf,
  noWeb,
  isOwnOrLinkAddress,
  RequestFigures,
  signHubKey,
} from "@ledge/link";
import {
  aggregates,
  categories,
  type Command,
  EpochOpened,
  type HubUser,
  type Language,
  type LocalKey,
  limits as productLimits,
  reject,
  roles,
} from "@ledge/model";
import { addLamp } from "@ledge/testkit";
import type { Hono } from "hono";
import { type AuthBounds, Authentication } from "./auth.ts";
import { EventStreams, type StreamBounds } from "./event-streams.ts";
import type { ApiEnv } from "./call.ts";
import { Logins } from "./logins.ts";
import { type ApiOptions, createApi } from "./mount.ts";
import type { Listener } from "./listener.ts";
import type { HubPorts, MachineAct } from "./ports.ts";
import { idleUpdates, keptBackups, wellFacts } from "./test-facts.ts";
import { type PollWaitBounds, PollWaits } from "./poll-waits.ts";
import { noModbusTcp } from "./modbus-tcp-commands.ts";
import { Refused } from "./refused.ts";
import { rows } from "./routes/index.ts";

/** Rates that are out of the way of tests. */
const generous: AuthBounds = {
  tokenCacheEntries: 100,
  requestsPerMinutePerToken: 100_000,
  commandsPerMinutePerToken: 1_000_000,
};

/** A whole hub behind the API, for tests: a real kernel, real keys, no network and no adapters. */
export class TestHub {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly issuerKey: IssuerKey;
  readonly hubId: string;
  readonly ports: HubPorts;
  readonly auth: Authentication;
  readonly figures = new RequestFigures();
  readonly polls: { user: string; client: string | null; language: Language | null }[] = [];
  /** Requests at the remote listener: user, row, status. */
  readonly remoteCalls: Parameters<HubPorts["remoteCalls"]["called"]>[] = [];
  readonly logged: { message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  /** What was to be done to the machine; `machineRefusal` says why not. */
  readonly acts: MachineAct[] = [];
  machineRefusal: string | undefined;
  generation = 0;
  synced = 0;
  trustedKeys: IssuerKey[];

  constructor(
    kernel: Kernel,
    clock: Clock,
    issuerKey: IssuerKey,
    hubId: string,
    bounds: Bounds,
    ports: Partial<HubPorts>,
  ) {
    this.kernel = kernel;
    this.clock = clock;
    this.issuerKey = issuerKey;
    this.trustedKeys = [issuerKey];
    this.hubId = hubId;
    this.ports = {
      kernel,
      clock,
      hubId,
      meta: () => ({ version: "1.14.15.7", connected: true, cloud: "https://cloud.example.org" }),
      claim: openClaims,
      issuerKeys: () => keySetOf(this.trustedKeys),
      presence: { polled: (user, client, language) => this.polls.push({ user, client, language }) },
      streams: new EventStreams(kernel, clock, {
        sseClients: 4,
        sseClientsPerCaller: 4,
        sseBufferEvents: 20,
        ...bounds,
      }),
      pollWaits: new PollWaits(kernel, clock, { ...productLimits, ...bounds }),
      logins: new Logins(clock, randomBytes),
      localKeys: { problem: () => undefined, sign: (record, user) => this.signLocal(record, user) },
      metrics: () => [],
      scrapeToken: "scrape-me",
      hostNames: () => ["cabin.local"],
      switchUnrecorded: () => undefined,
      mayAsk: (address) => !isOwnOrLinkAddress(address),
      probe: async () => "failed",
      offering: async () => [],
      ruleTemplates: () => [],
      ruleRefusal: () => undefined,
      proposeRules: async () => [],
      dryRun: async () => null,
      installing: () => reject("invalid", "this hub has no rules"),
      ruleDiagram: () => undefined,
      ask: async () => undefined,
      sticks: { list: async () => [], taking: async () => new Refused(422, "this hub has no adapter") },
      modbusServer: noModbusTcp,
      health: async () => wellFacts,
      backups: keptBackups,
      updates: idleUpdates,
      machine: { refusal: () => this.machineRefusal, begin: (act) => this.acts.push(act) },
      processLog: { open: () => undefined },
      web: noWeb,
      past: { ask: async () => new Refused(503, "nobody reads the log here") },
      remoteCalls: { called: (...call) => this.remoteCalls.push(call) },
      log: (_level, message, fields) => this.logged.push({ message, fields }),
      ...ports,
    };
    const authority = {
      issuers: () => [
        { name: "test", keys: keySetOf(this.trustedKeys), lifetimeMs: productLimits.hubKeyMs },
        { name: "local", keys: keySetOf([issuerKey]), lifetimeMs: productLimits.localKeyMs },
      ],
      ownName: "ledge-hub",
      localName: "local",
      generation: () => this.generation,
      authorizationsSynced: () => this.synced,
    };
    this.auth = new Authentication(this.ports, authority, { ...generous, ...bounds });
  }

  /** The API at one listener. Rates are out of the way unless asked for. */
  api(listener: Listener, options: Partial<ApiOptions> = {}): Client {
    const { ports, auth, figures } = this;
    const app = createApi({
      rows,
      ports,
      listener,
      auth,
      figures,
      perAddress: { open: 100_000, key: 100_000, act: 100_000 },
      ...options,
    });
    return new Client(app, listener);
  }

  /** Carries out commands as the hub itself; the id of what the first one made or addressed. */
  async run(...commands: object[]): Promise<string> {
    const outcome = await this.kernel.submit({ commands: commands as Command[], origin: "system" });
    if (!outcome.accepted) throw new Error(outcome.rejection.message);
    const [first] = outcome.results;
    return (first !== undefined && "id" in first ? first.id : undefined) ?? "";
  }

  addDevice(content: object = {}): Promise<string> {
    return this.run({ ...lamp, ...content });
  }

  /** A user of the hub with a role, and a key for that user. */
  async user(role: number): Promise<{ id: string; key: string }> {
    const id = `user-${role}`;
    await this.run({ type: "ADD_USER", id, email: `${id}@example.org`, nickname: id, phone: null, role });
    return { id, key: await this.sign({ user_id: id, role }) };
  }

  /** Signs the key of a record, as the hub itself. */
  signLocal({ id, signedAt, expires }: LocalKey, { user_info: { user, role } }: HubUser): Promise<string> {
    const { uid: user_id, email, nickname } = user;
    const claims = { hub_id: this.hubId, hub_name: "Cabin", user_id, email, nickname, role, owner: false };
    const whole = { ...claims, auth_seq: 0, jti: id };
    return signHubKey(whole, "local", this.issuerKey, signedAt, expires - signedAt);
  }

  sign(claims: Partial<HubKeyClaims> = {}, lifetimeMs?: number): Promise<string> {
    const whole = {
      hub_id: this.hubId,
      hub_name: "Cabin",
      user_id: "owner",
      email: "owner@example.org",
      nickname: "owner",
      role: roles.OWNER_ADMIN,
      owner: false,
      auth_seq: 1,
      ...claims,
    };
    return signHubKey(whole, "test", this.issuerKey, this.clock.wall(), lifetimeMs);
  }
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** Sends requests to an app as a client of its listener would. */
export class Client {
  readonly app: Hono<ApiEnv>;
  readonly #listener: Listener;

  constructor(app: Hono<ApiEnv>, listener: Listener) {
    this.app = app;
    this.#listener = listener;
  }

  /** @param path below /cc/1.14, or a whole path that begins with `//`. */
  request(method: string, path: string, key?: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ host: "cabin.local:8893" });
    if (key !== undefined) headers.set(this.#listener === "remote" ? "x-hub-key" : "authorization", key);
    new Headers(init.headers).forEach((value, name) => headers.set(name, value));
    const whole = path.startsWith("//") ? path.slice(1) : `/cc/1.14${path}`;
    return Promise.resolve(this.app.request(`http://cabin.local:8893${whole}`, { ...init, method, headers }));
  }

  async send(method: string, path: string, key?: string, body?: unknown): Promise<Answer> {
    return this.raw(method, path, key, body === undefined ? {} : { body: JSON.stringify(body) });
  }

  async raw(method: string, path: string, key?: string, init: RequestInit = {}): Promise<Answer> {
    const response = await this.request(method, path, key, init);
    const text = await response.text();
    const { status, headers } = response;
    const isJson = text !== "" && headers.get("content-type") === "application/json";
    return { status, headers, body: isJson ? (JSON.parse(text) as unknown) : text };
  }
}

type Bounds = Partial<StreamBounds & AuthBounds & PollWaitBounds>;

/** A lamp, as an adapter would add it. */
export const lamp = addLamp();

/** A setting, as an adapter describes it. */
export const childLock = {
  name: "lock",
  fieldType: "BOOL",
  label: { en: "Child lock", fi: "Lapsilukko" },
  help: null,
  defaultValue: false,
  options: [],
  minValue: null,
  maxValue: null,
  readOnly: false,
} as const;

const { type: _, protocol, native, ...description } = lamp;
/** A lamp, as a scan finds it. */
export const stray = {
  type: "NOTE_FOUND",
  protocol,
  native,
  device: null,
  description,
  pairingStatus: "COMPLETE",
  actionRequired: false,
  help: null,
};

/** Everybody may claim the hub at any time, and is who they say. */
export const openClaims: HubPorts["claim"] = {
  closed: () => undefined,
  openForMs: () => 60_000,
  wrongCode: (code) => (code === "BCDFGHJ" ? undefined : new Refused(403, "this is not the code")),
  origins: ["https://setup.example.org"],
  establish: (email, make) => make(`of-${email}`),
};

/**
 * Opens a hub, claimed by the user `owner` unless told otherwise.
 * @param log an empty log, or that of a hub.
 */
export async function openTestHub(
  log: KernelOptions["log"],
  clock: Clock,
  {
    claimed = true,
    ports = {},
    timeTrusted = () => true,
    ...bounds
  }: Bounds & { claimed?: boolean; ports?: Partial<HubPorts>; timeTrusted?: () => boolean } = {},
): Promise<TestHub> {
  let ids = 0;
  const kernel = openKernel({
    log,
    aggregates,
    categories,
    reactions: [],
    epochEvent: EpochOpened.type,
    clock,
    newId: () => `id-${++ids}`,
    timeTrusted,
    onFatal: () => {},
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    release: "test",
  });
  const commands = [{ type: "CREATE_HUB", name: "Cabin", timezone: "Europe/Helsinki" } as Command];
  const isNew = kernel.size("hub") === 0;
  if (isNew) await kernel.submit({ commands, origin: "system" });
  const [hubId = ""] = [...kernel.all("hub")].map(([id]) => id);
  const hub = new TestHub(kernel, clock, await generateIssuerKey(), hubId, bounds, ports);
  if (claimed && isNew)
    await hub.run({ type: "CLAIM_HUB", id: hubId, userId: "owner", email: "owner@example.org" });
  return hub;
}
