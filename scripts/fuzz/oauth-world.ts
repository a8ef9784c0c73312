// A cloud with clients of OAuth2, and the browser of a person who is logged in on its pages.
import { hash } from "node:crypto";
import { CloudWorld, type PersonName } from "./cloud-world.ts";
import type { Entries } from "./oauth-requests.ts";
import { type Sent, send } from "./wire.ts";

/** A client, and what it may bring. */
export interface FuzzClient {
  readonly clientId: string;
  /** "" for a client that everybody can read. */
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}

export const verifier = "v".repeat(43);
const challenge = hash("sha256", verifier, "base64url");

/** A page that a browser has come to. */
export interface Page {
  /** Path and query. */
  readonly path: string;
  readonly sent: Sent;
}

/** A person's browser: it keeps cookies, and follows redirects within the cloud. */
export class Jar {
  readonly #cookies = new Map<string, string>();

  get line(): string {
    return `Cookie: ${[...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ")}`;
  }

  keep({ head }: Sent): void {
    for (const line of head) {
      const [, name, value = ""] = /^set-cookie: ([^=]+)=([^;]*)/i.exec(line) ?? [];
      if (name === undefined) continue;
      if (/expires=thu, 01 jan 1970/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}

const asked = "openid offline_access platform.read";

export class OAuthWorld {
  readonly world: CloudWorld;
  clients: readonly FuzzClient[] = [];
  /** A browser in which `owner` is logged in. */
  browser = new Jar();
  /** The id of the account of `owner`, which is that of their tenant, too. */
  ownerId = "";
  /** A refresh token of the first client, until it is used up. */
  refreshToken: string | undefined;

  private constructor(world: CloudWorld) {
    this.world = world;
  }

  static async open(): Promise<OAuthWorld> {
    const made = new OAuthWorld(await CloudWorld.open());
    try {
      await made.renew();
      return made;
    } catch (error) {
      await made.world.close();
      throw error;
    }
  }

  /** Makes new clients, and logs `owner` in on the pages. */
  async renew(): Promise<void> {
    const scopes = asked.split(" ");
    this.ownerId = await this.#tenantOf("owner");
    this.clients = [
      await this.#client("owner", {
        scopes,
        redirectUris: ["https://app.example/callback", "http://127.0.0.1/back"],
      }),
      await this.#client("other", { scopes, redirectUris: ["https://other.example/callback"] }),
      await this.#client("owner", { scopes, redirectUris: ["org.example.app:/back"], isPublic: true }),
    ];
    this.browser = new Jar();
    this.refreshToken = undefined;
    const { path } = await this.go("GET", this.start(this.#first), this.browser);
    const login = await this.world.oneTime(this.world.people.owner.email);
    const { sent } = await this.go("POST", path, this.browser, [
      ["step", "password"],
      ...Object.entries(login),
    ]);
    if (sent.status !== 200) throw new Error(`the login was answered ${sent.status} ${sent.body}`);
  }

  get #first(): FuzzClient {
    return this.clients[0] as FuzzClient;
  }

  async #client(who: PersonName, fields: object): Promise<FuzzClient> {
    const { token } = this.world.people[who];
    const tenantId = await this.#tenantOf(who);
    const command = { type: "CreateClientCommand", tenantId, name: "Fuzz", ...fields };
    const made = await this.world.call("PUT", "/graph/command", { token, json: { command } });
    const { result } = JSON.parse(made.text) as { result: { clientId: string; clientSecret: string | null } };
    if (result.clientId === undefined) throw new Error(`no client: ${made.text}`);
    const { redirectUris, scopes } = fields as Pick<FuzzClient, "redirectUris" | "scopes">;
    return { clientId: result.clientId, clientSecret: result.clientSecret ?? "", redirectUris, scopes };
  }

  /** Returns the id of the personal tenant of a person. */
  async #tenantOf(who: PersonName): Promise<string> {
    const { token } = this.world.people[who];
    const { text } = await this.world.call("GET", "/ui/0.2/user", { token });
    return (JSON.parse(text) as { uid: string }).uid;
  }

  /** The query that begins at a client. */
  query({ clientId, redirectUris }: FuzzClient): Entries {
    return [
      ["client_id", clientId],
      ["response_type", "code"],
      ["redirect_uri", redirectUris[0] ?? ""],
      ["scope", asked],
      ["code_challenge", challenge],
      ["code_challenge_method", "S256"],
      ["prompt", "consent"],
      ["state", "s"],
    ];
  }

  start(client: FuzzClient): string {
    return `/oauth2/auth?${new URLSearchParams(this.query(client).map(([...pair]) => pair)).toString()}`;
  }

  /** Sends one request as a browser would. @param form sent as one, if there is any */
  async ask(method: string, path: string, jar?: Jar, form?: Entries): Promise<Sent> {
    const body = Buffer.from(form ? new URLSearchParams(form.map(([...pair]) => pair)).toString() : "");
    const headers = [
      `X-Forwarded-For: ${this.world.newCaller()}`,
      ...(form ? ["Content-Type: application/x-www-form-urlencoded"] : []),
      ...(jar ? [jar.line] : []),
    ];
    const wire = { row: { method }, path, headers: [], body, delivery: "whole" } as const;
    const sent = await send(wire, this.world.cloud.port, "127.0.0.1", headers);
    jar?.keep(sent);
    return sent;
  }

  /** Like `ask`, and follows redirects within the cloud. */
  async go(method: string, path: string, jar: Jar, form?: Entries): Promise<Page> {
    const sent = await this.ask(method, path, jar, form);
    const place = placeOf(sent);
    if (place === undefined) return { path, sent };
    const url = new URL(place, this.world.cloud.url);
    if (url.origin !== this.world.cloud.url) return { path, sent };
    return this.go("GET", url.pathname + url.search, jar);
  }

  /** Returns a code that a client has got for `owner`. */
  async code(client: FuzzClient): Promise<string> {
    const { path } = await this.go("GET", this.start(client), this.browser);
    const { sent } = await this.go("POST", path, this.browser, [["step", "consent"]]);
    const code = URL.parse(placeOf(sent) ?? "")?.searchParams.get("code");
    if (!code) throw new Error(`no code: ${sent.status} ${sent.head.join(" ")} ${sent.body}`);
    return code;
  }
}

/** Returns where an answer sends a browser to. */
export function placeOf({ head }: Pick<Sent, "head">): string | undefined {
  for (const line of head) {
    const [, place] = /^location: (.*)$/i.exec(line) ?? [];
    if (place !== undefined) return place;
  }
  return undefined;
}
