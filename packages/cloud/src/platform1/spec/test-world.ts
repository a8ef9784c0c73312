import assert from "node:assert/strict";
import { features } from "@ledge/model";
import type { Reply, Served } from "../../http/test-served.ts";
import { platformScopes } from "../../model/oauth-scopes.ts";
import type { MadeClient } from "../../oauth/clients.ts";
import { makeClient, ownToken, startServed, tokensFor } from "../../oauth/test-flow.ts";
import { type Asked, answering } from "../../relay/test-answering.ts";
import type { Answer } from "../../relay/test-relay.ts";
import { deviceLine, linesOf, send } from "../../replication/test-home.ts";
import type { TestHub } from "../../testdata/open-cloud.ts";

const email = "owner@example.org";
const elsewhere = "elsewhere@example.org";

/** The role in the owner's tenant of each kind of member. */
const memberRoles: Readonly<Record<string, string>> = {
  reader: "reader",
  member: "contributor",
  coowner: "owner",
};

const everything = platformScopes.filter((scope) => scope !== "internal");

/** A cloud, served over HTTP, with one of everything that the 1.0 API is about. */
export class World {
  readonly served: Served;
  readonly hub: TestHub;
  /** Cloud token of the owner of everything. */
  readonly owner: string;
  /** Cloud token of somebody who has a role nowhere. */
  readonly stranger: string;
  /** Id of the owner's account, personal tenant and personal subscription. */
  readonly account: string;
  /** What the hub was asked through its tunnel. */
  readonly asked: Asked[] = [];
  readonly #tokens = new Map<string, Promise<string>>();
  #client: Promise<MadeClient> | undefined;
  #count = 0;

  private constructor(served: Served, hub: TestHub, owner: string, stranger: string) {
    this.served = served;
    this.hub = hub;
    this.owner = owner;
    this.stranger = stranger;
    this.account = served.accountId(email);
  }

  static async open(): Promise<World> {
    const served = await startServed();
    const claimed = await served.claimed(email, { features: [features.REMOTE_USAGE] });
    const { hub, hubToken, owner } = claimed;
    const world = new World(served, hub, owner, await served.logIn("stranger@example.org"));
    const answer = answering(world.asked, () => [200, null]);
    await served.dial(hubToken, answer, tellHome);
    await served.registers.has(hub.id, "lamp");
    await world.created("POST", `/Subscriptions/${world.account}/ResourceGroups`, { name: "things" });
    const acme = { type: "CREATE_TENANT", id: "acme", displayName: "Acme", owner: world.account };
    const { kernel } = served.test.cloud;
    assert.ok((await kernel.submit({ commands: [acme], origin: "console" })).accepted);
    return world;
  }

  /**
   * Returns the token of a caller, which is made when it is first used: `owner`; `stranger`; `reader`, `member` and
   * `coowner` with a role in the owner's tenant, of which `client reader` and the like are programs; `elsewhere`, the
   * owner of another tenant; `access` and `access later`, access tokens of the owner; `access SCOPES` with these alone;
   * `internal`, a client that creates tenants.
   */
  token(caller: string): Promise<string> {
    const held = this.#tokens.get(caller) ?? this.#newToken(caller);
    this.#tokens.set(caller, held);
    return held;
  }

  async #newToken(caller: string): Promise<string> {
    const { served } = this;
    if (caller === "owner") return this.owner;
    if (caller === "stranger") return this.stranger;
    if (caller === "elsewhere") return served.logIn(elsewhere);
    const [kind = "", ...rest] = caller.split(" ");
    if (kind in memberRoles) {
      const token = await served.logIn(`${kind}@example.org`);
      await this.#letIn(served.accountId(`${kind}@example.org`), kind, token);
      return token;
    }
    if (kind === "client") return this.#newClient(rest.join(" "));
    const scopes = ["internal", "openid", ...everything] as const;
    this.#client ??= makeClient(served, email, scopes);
    const client = await this.#client;
    if (caller === "internal") return ownToken(served.base, client, "internal platform.read");
    const asked = rest.length === 0 || rest[0] === "later" ? everything : rest;
    const { access_token } = await tokensFor(served, client, email, ["openid", ...asked].join(" "));
    return `Bearer ${access_token}`;
  }

  /** Makes a program of another tenant that has a role in the owner's. @returns its access token */
  async #newClient(kind: string): Promise<string> {
    const { served } = this;
    const client = await makeClient(served, elsewhere, everything);
    const scope = everything.join(" ");
    const first = await ownToken(served.base, client, scope);
    await this.#letIn(client.clientId, kind, `Bearer ${first}`);
    return `Bearer ${await ownToken(served.base, client, scope)}`;
  }

  /** Gives an account a role in the owner's tenant, in which it works from then on. */
  async #letIn(principal: string, kind: string, token: string): Promise<void> {
    const { served, account } = this;
    const role = memberRoles[kind] ?? assert.fail(kind);
    const fields = { tenantId: account, scope: `/Tenant/${account}`, principal, role };
    const given = await served.graph(this.owner, { type: "AssignRoleTenantCommand", ...fields });
    assert.equal(given.error, undefined);
    const entered = await this.call("PUT", "/Tenants/Active", { tenantId: account }, token);
    assert.equal(entered.status, 200, entered.text);
  }

  /** The path of the resource group of the tests. */
  get group(): string {
    return `/Subscriptions/${this.account}/ResourceGroups/things`;
  }

  /** Calls a path below `/1.0`, as the owner unless told otherwise. */
  call(method: string, path: string, json?: unknown, token: string = this.owner): Promise<Reply> {
    return this.served.call(method, `/1.0${path}`, { token, ...(json !== undefined && { json }) });
  }

  /** Creates something, which must succeed. @returns what is answered */
  async created(method: string, path: string, json: object): Promise<Readonly<Record<string, unknown>>> {
    const reply = await this.call(method, path, json);
    assert.equal(reply.status, 201, reply.text);
    return reply.json as Record<string, unknown>;
  }

  /** Returns a name that nothing else has. */
  newName(): string {
    return `name${++this.#count}`;
  }

  /** Creates a site. @returns its id */
  newSite(init: object | null = null): Promise<string> {
    return this.#resource("Vendor.Sites", "siteId", init);
  }

  /** Creates a device register. @returns its id */
  newRegister(): Promise<string> {
    return this.#resource("Vendor.DeviceRegister", "registerId", null);
  }

  async #resource(provider: string, idName: string, init: object | null): Promise<string> {
    const body = { name: this.newName(), provider, init };
    const { properties } = await this.created("POST", `${this.group}/Resources`, body);
    return (properties as Readonly<Record<string, string>>)[idName] ?? assert.fail(provider);
  }
}

/** Tells a home with one lamp to whoever asks from the beginning, and has no other news. */
const tellHome: Answer = (stream, headers) => {
  const after = new URL(String(headers[":path"]), "http://hub").searchParams.get("after") || null;
  // The cloud asks from the beginning with a cursor of its own, too.
  if (after?.startsWith("told.")) return;
  const state = { type: "DEVICE_STATE", reachable: true, lastSeen: null, isOn: false };
  const lamp = deviceLine("lamp", 1, { type: "LIGHT", capabilities: ["ON_OFF"], state });
  send({ after, stream }, linesOf({ after }, [lamp], { next: "told.1", more: false }, { full: true }));
};
