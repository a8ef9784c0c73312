import assert from "node:assert/strict";
import { features } from "@ledge/model";
import { type Reply, Served } from "../../http/test-served.ts";
import { startServed } from "../../oauth/test-flow.ts";
import { type Asked, answering } from "../../relay/test-answering.ts";
import type { TestHub } from "../../testdata/open-cloud.ts";

const email = "owner@example.org";

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
    await served.registers.set(hub.id, "lamp", false);
    const answer = answering(world.asked, () => [200, null]);
    await served.dial(hubToken, answer);
    await world.created("POST", `/Subscriptions/${world.account}/ResourceGroups`, { name: "things" });
    return world;
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
