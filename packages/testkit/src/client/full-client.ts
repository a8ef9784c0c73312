import { type Known, type PollAnswer, PollClient } from "../poll-client.ts";

/** The metadata of a hub (hub-api 2.1) that a client reads. */
export interface HubMeta {
  readonly hubId: string;
  readonly name: string;
  readonly version: string;
  readonly state: string;
  readonly connected: boolean;
  readonly features: readonly number[];
}

/** The claims of a HubKey that its holder reads (hub-api 2.11). */
export interface KeyClaims {
  readonly hub_id: string;
  readonly hub_name: string;
  readonly role: number;
  readonly owner: boolean;
}

export interface ClientAnswer {
  readonly status: number;
  readonly json: unknown;
}

export interface FullClientOptions {
  /** The address of the cloud, without a path. */
  readonly cloud: string;
  readonly email: string;
  /** Reads the password from the mail to the address. */
  readonly password: () => string;
  /** The port of hubs on their local networks: 8893 except in tests. */
  readonly lanPort: number;
}

/** A way to reach a hub. */
interface Route {
  readonly via: "lan" | "relay";
  /** The prefix of the API's paths, without the version. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `cloud_url` and `legacy_cloud_url`. Hubs of version 1.14.9.* are listed at the second. */
const sites = ["/ui/0.2", "/legacy/ui/0.2"] as const;
const relay = "/relay";
/** How long to wait for a local address, because a hub that has gone does not answer. */
const probeMs = 5000;

/**
 * A client that follows the bootstrap sequence of hub-api 4.10. It logs in at the cloud, gets its keys, looks for
 * the hub on the local network, then through the relay, and takes the API version from the hub. While it uses the
 * relay, it looks for the hub on the local network before each poll.
 */
export class FullClient {
  readonly #options: FullClientOptions;
  readonly #home = new PollClient();
  readonly #uuid = crypto.randomUUID();
  #token = "";
  #keys: Readonly<Record<string, string>> = {};
  #hubId: string | undefined;
  #meta: HubMeta | undefined;
  #route: Route | undefined;
  /** The way that each answered poll took. */
  readonly ways: Route["via"][] = [];

  constructor(options: FullClientOptions) {
    this.#options = options;
  }

  get token(): string {
    return this.#token;
  }

  /** The key of the current hub. */
  get key(): string {
    return this.#keys[this.#hubId ?? ""] ?? "";
  }

  /** The claims of this key. */
  get claims(): KeyClaims {
    return claimsOf(this.key);
  }

  get meta(): HubMeta | undefined {
    return this.#meta;
  }

  /** The home as the client knows it. */
  get known(): Known {
    return this.#home.known;
  }

  /** How many answers to polls were full. */
  get fulls(): number {
    return this.#home.fulls;
  }

  /** Pretends that the client remembers an earlier version of the hub. */
  remember(version: string): void {
    if (this.#meta !== undefined) this.#meta = { ...this.#meta, version };
  }

  /**
   * Logs in with a password from a mail.
   * @throws Error that names the status
   */
  async logIn(): Promise<void> {
    const { email } = this.#options;
    const query = new URLSearchParams({ email }).toString();
    await this.#cloud("POST", `${sites[0]}/user/requestlogin?${query}`);
    const body = { email, password: this.#options.password() };
    this.#token = await this.#cloud("POST", `${sites[0]}/user/emaillogin`, body);
  }

  /** Gets a new cloud token and ends the former one. */
  async refresh(): Promise<void> {
    const former = this.#token;
    this.#token = await this.#cloud("GET", `${sites[0]}/user/refreshsession`);
    await this.#cloud("PUT", `${sites[0]}/user/logout`, undefined, former);
  }

  /** When the cloud token expires (s since the epoch), as the client reads in it. */
  get tokenExpires(): number {
    return claimsOf(this.#token).exp;
  }

  /**
   * Gets its keys and finds a hub.
   * @param hubId by default the current hub, or the first one that it has a key for
   * @throws Error when no way leads to the hub
   */
  async bootstrap(hubId = this.#hubId): Promise<void> {
    this.#route = undefined;
    const found = await Promise.all(
      sites.map(async (site) => this.#cloud("GET", `${site}/user/hubkeys`).then((text) => JSON.parse(text))),
    );
    this.#keys = Object.assign({}, ...found) as Record<string, string>;
    this.#hubId = hubId ?? Object.keys(this.#keys)[0];
    if (this.#hubId === undefined || this.key === "") throw new Error("there is no key for that hub");
    if (!(await this.#findOnLan())) await this.#findByRelay();
  }

  /**
   * Calls its hub on the current way.
   * @param path of the API, after the version
   */
  async call(method: string, path: string, body?: unknown): Promise<ClientAnswer> {
    return (await this.#ask(method, path, body)).answer;
  }

  /** Polls with its cursor. */
  async poll(): Promise<PollAnswer> {
    if (this.#route?.via === "relay") await this.#findOnLan();
    const query = new URLSearchParams({ ts: String(this.#home.cursor), vendor_uuid: this.#uuid }).toString();
    const { answer, via } = await this.#ask("GET", `/hub/poll?${query}`);
    if (answer.status !== 200) throw new Error(`a poll was answered ${answer.status}`);
    const delta = answer.json as PollAnswer;
    this.#home.apply(delta);
    this.ways.push(via);
    return delta;
  }

  /** Sends a request. When the key is obsolete or the hub unreachable, finds the hub again, once. */
  async #ask(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly answer: ClientAnswer; readonly via: Route["via"] }> {
    if (this.#route === undefined) await this.bootstrap();
    const first = await this.#send(method, path, body);
    if (first !== undefined && first.answer.status !== 410) return first;
    await this.bootstrap();
    const second = await this.#send(method, path, body);
    if (second === undefined) throw new Error("the hub was lost again");
    return second;
  }

  async #send(method: string, path: string, body?: unknown) {
    const [route, meta] = [this.#route, this.#meta];
    if (route === undefined || meta === undefined) return undefined;
    const version = meta.version.split(".").slice(0, 2).join(".");
    try {
      const response = await fetch(`${route.base}/cc/${version}${path}`, {
        method,
        headers: { ...route.headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = { status: response.status, json: await response.json() };
      return { answer, via: route.via };
    } catch {
      return undefined;
    }
  }

  /** Tries each address that the cloud lists for hubs of this network. */
  async #findOnLan(): Promise<boolean> {
    const lists = await Promise.all(
      sites.map(async (site) => JSON.parse(await this.#cloud("GET", `${site}/hub/lan_ip`)) as string[]),
    );
    for (const address of lists.flat()) {
      const host = address.includes(":") ? `[${address}]` : address;
      const base = `http://${host}:${this.#options.lanPort}`;
      const meta = await metaAt(base, {}, probeMs);
      if (meta?.hubId === undefined || meta.hubId !== this.#hubId) continue;
      this.#meta = meta;
      this.#route = { via: "lan", base, headers: { authorization: this.key } };
      return true;
    }
    return false;
  }

  async #findByRelay(): Promise<void> {
    const base = `${this.#options.cloud}${relay}`;
    const headers = { authorization: this.#token, "x-hub-key": this.key };
    const meta = await metaAt(base, headers);
    if (meta === undefined || meta.hubId !== this.#hubId || !meta.connected)
      throw new Error("the hub cannot be reached, neither on its network nor through the relay");
    this.#meta = meta;
    this.#route = { via: "relay", base, headers };
  }

  async #cloud(method: string, path: string, body?: object, token = this.#token): Promise<string> {
    const response = await fetch(`${this.#options.cloud}${path}`, {
      method,
      headers: token === "" ? {} : { authorization: token },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path.split("?", 1)[0]} was answered ${response.status}: ${text}`);
    return text;
  }
}

/** Returns the answer to `GET /hub` at an address, if a hub is there. */
async function metaAt(
  base: string,
  headers: Readonly<Record<string, string>>,
  patienceMs?: number,
): Promise<HubMeta | undefined> {
  try {
    const signal = patienceMs === undefined ? {} : { signal: AbortSignal.timeout(patienceMs) };
    const response = await fetch(`${base}/hub`, { headers, ...signal });
    const meta = (await response.json()) as Partial<HubMeta> & { readonly type?: string };
    return response.ok && meta.type === "HUB_META_DATA" ? (meta as HubMeta) : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a token without verification, as clients do. Servers verify it. */
function claimsOf(token: string): KeyClaims & { readonly exp: number } {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}
