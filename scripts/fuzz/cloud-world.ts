// A cloud in a separate process, people who have logged in by mail, and their hubs.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { roles } from "@ledge/model";
import { CloudProcess, HubAtCloud } from "@ledge/testkit/client";
import { memoryOf } from "../process-memory.ts";

export const people = ["owner", "admin", "guest", "stranger", "other"] as const;
/** `owner`, `admin` and `guest` have access to hub `a`, `other` to hub `c`, `stranger` to none. */
export type PersonName = (typeof people)[number];

export interface Person {
  readonly email: string;
  readonly nickname: string;
  readonly phone: string;
  readonly token: string;
}

export interface WorldHub {
  readonly hub: HubAtCloud;
  /** The token of its session. */
  readonly token: string;
}

interface Asking {
  readonly token?: string | undefined;
  readonly hubKey?: string;
  readonly json?: object | undefined;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

const renewalsMax = 2;
const password = "correct horse battery staple";

export class CloudWorld {
  readonly #folder: string;
  readonly cloud: CloudProcess;
  readonly #agent = new Agent({ keepAlive: true });
  #generation = 0;
  readonly #renewals = new Map<PersonName, number>();
  #callers = 0;
  people!: Readonly<Record<PersonName, Person>>;
  a!: WorldHub;
  c!: WorldHub;
  /** A token whose session has ended. */
  ended = "";
  /** The owner's key for hub `a`. */
  hubKey = "";
  /** Codes from mails whose links nobody has followed. */
  codes: readonly string[] = [];
  /** The state of people and hubs at the last look. */
  #state: ReadonlyMap<string, string> = new Map();

  private constructor(folder: string, cloud: CloudProcess) {
    this.#folder = folder;
    this.cloud = cloud;
  }

  static async open(): Promise<CloudWorld> {
    const folder = mkdtempSync(join(tmpdir(), "ledge-fuzz-"));
    const config = join(folder, "cloud.json");
    // Trust the callers' addresses: limits per address are not under test.
    writeFileSync(
      config,
      JSON.stringify({ trustedProxies: ["127.0.0.0/8"], relay: { requestsPerMinute: 1e9 } }),
    );
    try {
      const cloud = await CloudProcess.start(join(folder, "cloud"), 0, "--config", config);
      const world = new CloudWorld(folder, cloud);
      await world.renew();
      return world;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.cloud.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get runs(): boolean {
    return this.cloud.child.exitCode === null && this.cloud.child.signalCode === null;
  }

  /** Returns an address that has not called before. */
  newCaller(): string {
    this.#callers += 1;
    const count = this.#callers;
    return `${11 + (count >> 24)}.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
  }

  /**
   * Calls the cloud.
   * @param path begins at the root
   */
  async call(method: string, path: string, { token, hubKey, json: body }: Asking = {}): Promise<Answered> {
    const headers = {
      "x-forwarded-for": this.newCaller(),
      ...(token !== undefined && { authorization: token }),
      ...(hubKey !== undefined && { "x-hub-key": hubKey }),
    };
    const outgoing = request(this.cloud.url + path, { method, headers, agent: this.#agent });
    const answer = new Promise<Answered>((resolve, reject) => {
      outgoing.once("error", reject);
      outgoing.once("response", (response) => {
        const status = response.statusCode ?? 0;
        void text(response).then((said) => resolve({ status, text: said }), reject);
      });
    });
    outgoing.end(body && JSON.stringify(body));
    return answer;
  }

  async #must(method: string, path: string, asking?: Asking): Promise<string> {
    const { status, text: said } = await this.call(method, path, asking);
    if (status !== 200) throw new Error(`${method} ${path} was answered ${status} ${said}`);
    return said;
  }

  /** Replaces everybody, because the cloud limits what each person may do. */
  async replace(): Promise<void> {
    this.#state = new Map();
    await this.renew();
  }

  /** Replaces people who are no longer logged in, and hubs whose users have changed. */
  async renew(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      if (this.#state.size === 0) throw error;
      // Somebody has used up their mails.
      this.#state = new Map();
      await this.#renew();
    }
  }

  async #renew(): Promise<void> {
    this.#generation += 1;
    const fresh = new Set<PersonName>();
    const made: [PersonName, Person][] = [];
    for (const name of people) {
      if (this.#isPresent(name)) made.push([name, this.people[name]]);
      else {
        fresh.add(name);
        made.push([name, await this.#person(`${name}-${this.#generation}`)]);
      }
    }
    this.people = Object.fromEntries(made) as Record<PersonName, Person>;
    if (fresh.has("stranger")) await this.#letSessionEnd(this.people.stranger);
    const isFresh = (...names: readonly PersonName[]): boolean => names.some((name) => fresh.has(name));
    if (isFresh("owner", "admin", "guest") || !this.#isListed("a")) await this.#makeA();
    if (isFresh("other") || !this.#isListed("c")) this.c = await this.#owned(this.people.other);
    this.#state = await this.#look();
  }

  /**
   * Whether a person is logged in and can still get mails. Each gets a limited number; then another takes their
   * place.
   */
  #isPresent(name: PersonName): boolean {
    const isLoggedIn = this.#state.get(name)?.startsWith("200") === true;
    const renewals = isLoggedIn ? (this.#renewals.get(name) ?? 0) + 1 : 0;
    this.#renewals.set(name, renewals);
    return isLoggedIn && renewals <= renewalsMax;
  }

  async #letSessionEnd({ email, token }: Person): Promise<void> {
    this.ended = await this.logIn(email);
    await this.#must("PUT", "/ui/0.2/user/logout", { token: this.ended });
    await this.#must("PUT", "/ui/0.2/user/password", { token, json: { password } });
  }

  /** Creates hub `a`, with its users and open invitations. */
  async #makeA(): Promise<void> {
    const { owner, admin, guest } = this.people;
    const { token } = owner;
    this.a = await this.#owned(owner);
    const hubId = this.a.hub.id;
    for (const [{ email }, role] of [
      [admin, roles.USER_ADMIN],
      [guest, roles.GUEST],
    ] as const) {
      const code = await this.invited(token, hubId, email, role);
      await this.#must("POST", `/ui/0.2/user/invite/accept?code=${code}`);
    }
    await this.#must("POST", "/ui/0.2/user/ownership", { token, json: { hubId, email: admin.email } });
    const offered = this.#mailed(admin.email, codeIn);
    const invitee = `invitee-${this.#generation}@fuzz.example`;
    this.codes = [offered, await this.invited(token, hubId, invitee, roles.IDENTIFIED_USER)];
    const keys = await this.#must("GET", "/ui/0.2/user/hubkeys", { token });
    this.hubKey = (JSON.parse(keys) as Record<string, string>)[hubId] ?? "";
  }

  async #person(name: string): Promise<Person> {
    const email = `${name}@fuzz.example`;
    const token = await this.logIn(email);
    const said = { nickname: `nick of ${name}`, phone: `+358 ${1_000_000 + Math.floor(this.#callers)}` };
    await this.#must("PUT", "/ui/0.2/user", { token, json: said });
    return { email, token, ...said };
  }

  /**
   * Logs in.
   * @returns a cloud token.
   * @throws Error when no mail comes
   */
  async logIn(email: string): Promise<string> {
    const asked = await this.oneTime(email);
    return this.#must("POST", "/ui/0.2/user/emaillogin", { json: asked });
  }

  /**
   * Requests a one-time password and reads it from the mail.
   * @throws Error when no mail comes
   */
  async oneTime(email: string): Promise<{ readonly email: string; readonly password: string }> {
    await this.#must("POST", "/ui/0.2/user/requestlogin", { json: { email } });
    return { email, password: this.#mailed(email, /this password: (\w+)$/m) };
  }

  async #owned({ email }: Person): Promise<WorldHub> {
    const hub = await HubAtCloud.make();
    const session = await this.#must("POST", "/hub/session", { json: await this.sessionOf(hub) });
    const { token } = JSON.parse(session) as { token: string };
    await this.#must("POST", "/hub/claim", { token, json: { email } });
    return { hub, token };
  }

  /** Returns a body of `POST /hub/session` that is valid once. */
  async sessionOf(hub: HubAtCloud): Promise<object> {
    const challenge = await this.#must("POST", "/hub/challenge", { json: { hubId: hub.id } });
    return hub.sessionRequest(this.cloud.url, (JSON.parse(challenge) as { nonce: string }).nonce);
  }

  /**
   * Invites a person.
   * @param token of somebody who may invite.
   * @returns the code in the mail
   */
  async invited(token: string, hubId: string, email: string, role: number): Promise<string> {
    await this.#must("POST", "/ui/0.2/user/invite", { token, json: { hubId, email, role } });
    return this.#mailed(email, codeIn);
  }

  /**
   * Reads a pattern from the newest mail to an address, and removes all mails.
   * @throws Error when the mail does not match
   */
  #mailed(email: string, pattern: RegExp): string {
    const mails = join(this.cloud.folder, "mail");
    const names = readdirSync(mails).toSorted();
    const name = names.findLast((one) => one.endsWith(`-${email}.eml`)) ?? "";
    const found = name === "" ? undefined : pattern.exec(readFileSync(join(mails, name), "utf8"))?.[1];
    for (const one of names) rmSync(join(mails, one), { force: true });
    if (found === undefined) throw new Error(`no mail to ${email} matches ${String(pattern)}`);
    return found;
  }

  /** Reads the profiles of people, whether they are logged in, and who has access to which hub, each under a name. */
  async #look(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const name of people) {
      const { status, text: said } = await this.call("GET", "/ui/0.2/user", {
        token: this.people[name].token,
      });
      found.set(name, `${status} ${said}`);
    }
    for (const name of ["a", "c"] as const) {
      const { status, text: said } = await this.call("GET", "/hub/authorizations", {
        token: this[name].token,
      });
      found.set(`hub ${name}`, `${status} ${listIn(said)}`);
    }
    return found;
  }

  /** Returns the names, as in `#look`, of what has changed since the last look. */
  async changes(): Promise<readonly string[]> {
    const before = this.#state;
    this.#state = await this.#look();
    return [...this.#state].filter(([name, value]) => before.get(name) !== value).map(([name]) => name);
  }

  /** Whether everybody is logged in and has their access. */
  get isWhole(): boolean {
    const areIn = people.every((name) => this.#state.get(name)?.startsWith("200"));
    return areIn && this.#isListed("a") && this.#isListed("c");
  }

  #isListed(name: "a" | "c"): boolean {
    const value = this.#state.get(`hub ${name}`) ?? "";
    const count = name === "a" ? 3 : 1;
    return value.startsWith("200") && value.split('"email"').length === count + 1;
  }

  /** Returns how many commits its log has. */
  async commits(): Promise<number> {
    const { log } = (await this.#console("/console/status")) as { log: { commits: number } };
    return log.commits;
  }

  #console(path: string): Promise<unknown> {
    const socketPath = join(this.cloud.folder, "ledge.sock");
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const outgoing = request({ socketPath, path, agent: this.#agent, headers: { host: "localhost" } });
    outgoing.once("error", reject);
    outgoing.once("response", (response) => void json(response).then(resolve, reject));
    outgoing.end();
    return promise;
  }

  /** Returns why the cloud does not serve; empty when it does. */
  async healthProblems(): Promise<readonly string[]> {
    const { status, text: said } = await this.call("GET", "/healthz");
    return status === 200 && said.includes("serving") ? [] : [`/healthz answers ${status} ${said}`];
  }

  /** Memory of the cloud's process (bytes), without mapped files. */
  memory(): number {
    return memoryOf(this.cloud.child.pid ?? 0, "RssAnon");
  }
}

const codeIn = /code=(\S+)$/m;

/** Returns the users of a signed list, without the parts that differ each time. */
function listIn(jws: string): string {
  const { users, message } = JSON.parse(
    jws.startsWith("{") ? jws : Buffer.from(jws.split(".")[1] ?? "", "base64url").toString(),
  ) as { users?: object[]; message?: string };
  return JSON.stringify(users ?? message);
}
