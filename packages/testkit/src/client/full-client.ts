import { type Known, type PollAnswer, PollClient } from "../poll-client.ts";

/** Metadata of a hub (hub-api 2.1), as far as a client reads it. */
export interface HubMeta {
  readonly hubId: string;
  readonly name: string;
  readonly version: string;
  readonly state: string;
  readonly connected: boolean;
  readonly features: readonly number[];
}

/** What a HubKey says to its holder (hub-api 2.11). */
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
  /** Where the cloud is, without a path. */
  readonly cloud: string;
  readonly email: string;
  /** Reads the mail that came to the address. */
  readonly password: () => string;
  /** The port of hubs on their own networks: 8893 but in tests. */
  readonly lanPort: number;
}

/** How a hub is reached. */
interface Route {
  readonly via: "lan" | "relay";
  /** What paths of the API stand behind, without the version. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `cloud_url` and `legacy_cloud_url`: hubs of version 1.14.9.* are at the second. */
const sites = ["/ui/0.2", "/legacy/ui/0.2"] as const;
const relay = "/relay";
/** How long an address of the own network may take: a hub that has gone does not say so. */
const probeMs = 5000;

/**
 * A client as a person has it, by the bootstrap sequence of hub-api 4.10: logs in at the cloud, gets its keys, looks
 * for the hub on its own network, then through the relay, and takes the version of the API from the hub. While it
 * reaches the hub through the relay it looks for it on its own network before each poll.
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
  /** By which way each poll that was answered has gone. */
  readonly ways: Route["via"][] = [];

  constructor(options: FullClientOptions) {
    this.#options = options;
  }

  get token(): string {
    return this.#token;
  }

  /** The key of the hub that it is at. */
  get key(): string {
    return this.#keys[this.#hubId ?? ""] ?? "";
  }

  /** What its key says. */
  get claims(): KeyClaims {
    return claimsOf(this.key);
  }

  get meta(): HubMeta | undefined {
    return this.#meta;
  }

  /** What it takes the home to be. */
  get known(): Known {
    return this.#home.known;
  }

  /** Answers of polls that told it everything anew. */
  get fulls(): number {
    return this.#home.fulls;
  }

  /** What it kept of a hub from before that was updated since. */
  remember(version: string): void {
    if (this.#meta !== undefined) this.#meta = { ...this.#meta, version };
  }

  /** Logs in by a mail. @throws Error that names the status */
  async logIn(): Promise<void> {
    const { email } = this.#options;
    const query = new URLSearchParams({ email }).toString();
    await this.#cloud("POST", `${sites[0]}/user/requestlogin?${query}`);
    const body = { email, password: this.#options.password() };
    this.#token = await this.#cloud("POST", `${sites[0]}/user/emaillogin`, body);
  }

  /** Takes a new cloud token and ends the former one. */
  async refresh(): Promise<void> {
    const former = this.#token;
    this.#token = await this.#cloud("GET", `${sites[0]}/user/refreshsession`);
    await this.#cloud("PUT", `${sites[0]}/user/logout`, undefined, former);
  }

  /** When its cloud token ends, as it reads in it (s since the epoch). */
  get tokenExpires(): number {
    return claimsOf(this.#token).exp;
  }

  /**
   * Gets its keys and finds a hub. @param hubId default: the one that it was at, or the first that it has a key of
   * @throws Error when it is reached by no way
   */
  async bootstrap(hubId = this.#hubId): Promise<void> {
    this.#route = undefined;
    const found = await Promise.all(
      sites.map(async (site) => this.#cloud("GET", `${site}/user/hubkeys`).then((text) => JSON.parse(text))),
    );
    this.#keys = Object.assign({}, ...found) as Record<string, string>;
    this.#hubId = hubId ?? Object.keys(this.#keys)[0];
    if (this.#hubId === undefined || this.key === "") throw new Error("there is no key to that hub");
    if (!(await this.#findOnLan())) await this.#findByRelay();
  }

  /** Asks its hub, wherever that is now. @param path of the API, behind the version */
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

  /** What is obsolete or out of reach it finds anew, once. */
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

  /** Looks at each address that the cloud knows for hubs of this network. */
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
      throw new Error("the hub is not reached, on its network or by the relay");
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

/** What answers `GET /hub` there, if it is a hub. */
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

/** Clients decode what they hold; to verify it is for those whom it is shown to. */
function claimsOf(token: string): KeyClaims & { readonly exp: number } {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}
