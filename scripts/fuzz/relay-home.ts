// A hub with a simulated home and its cloud, each in a separate process, and people who reach the hub by the
// relay.
import { setTimeout as sleep } from "node:timers/promises";
import { roles } from "@ledge/model";
import { LoadedHub } from "../load/hub.ts";
import { CloudWorld } from "./cloud-world.ts";
import { HubNews } from "./hub-news.ts";

/** The users of the hub. */
export type Member = "owner" | "admin" | "user" | "guest";

/** The credentials for the relay. */
export interface Keys {
  readonly email: string;
  /** Cloud token. */
  readonly token: string;
  readonly hubKey: string;
}

const invited = {
  admin: roles.USER_ADMIN,
  user: roles.IDENTIFIED_USER,
  guest: roles.REMOTE_GUEST,
} as const;
const tries = 600;
const restMs = 100;

export class RelayHome {
  readonly world: CloudWorld;
  readonly hub: LoadedHub;
  readonly news: HubNews;
  readonly hubId: string;
  #owner!: { readonly email: string; readonly token: string };
  #invited: readonly Keys[] = [];
  members!: Readonly<Record<Member, Keys>>;

  private constructor(world: CloudWorld, hub: LoadedHub, hubId: string) {
    this.world = world;
    this.hub = hub;
    this.news = new HubNews(hub);
    this.hubId = hubId;
  }

  static async open(): Promise<RelayHome> {
    const world = await CloudWorld.open();
    const cloud = { url: world.cloud.url, close: () => world.close() };
    const email = "boss@fuzz.example";
    const hub = await LoadedHub.startAt(cloud, { sim: { seed: 1, speed: 0.01 } });
    const home = new RelayHome(world, hub, await hub.claim(email));
    home.#owner = { email, token: await world.logIn(email) };
    await home.renew(0);
    await home.news.devices();
    return home;
  }

  get runs(): boolean {
    return this.hub.runs && this.world.runs;
  }

  async close(): Promise<void> {
    await this.hub.stop();
  }

  /**
   * Replaces the members, because the hub limits what each of them may do.
   * @param number tells the sets of members apart
   */
  async renew(number: number): Promise<void> {
    const { token } = this.#owner;
    for (const { email } of this.#invited) {
      const left = { hubId: this.hubId, email };
      await this.world.call("DELETE", "/ui/0.2/user/authorization", { token, json: left });
    }
    const made: [Member, Keys][] = [["owner", { ...this.#owner, hubKey: await this.#keyOf(token) }]];
    for (const [name, role] of Object.entries(invited)) {
      const email = `${name}-of-${number}@fuzz.example`;
      const member = await this.world.logIn(email);
      const code = await this.world.invited(token, this.hubId, email, role);
      await this.world.call("POST", `/ui/0.2/user/invite/accept?code=${code}`);
      made.push([name as Member, { email, token: member, hubKey: await this.#keyOf(member) }]);
    }
    this.#invited = made.slice(1).map(([, member]) => member);
    this.members = Object.fromEntries(made) as Record<Member, Keys>;
    for (const name of ["owner", "admin", "user", "guest"] as const) await this.#reached(this.members[name]);
    await this.news.look();
  }

  async #keyOf(token: string): Promise<string> {
    const { text } = await this.world.call("GET", "/ui/0.2/user/hubkeys", { token });
    return (JSON.parse(text) as Record<string, string>)[this.hubId] ?? "";
  }

  /**
   * Waits until the hub serves a user through the relay.
   * @throws Error when it never does
   */
  async #reached({ token, hubKey }: Keys): Promise<void> {
    let last: unknown;
    for (let left = tries; left > 0; left -= 1) {
      last = await this.world.call("GET", "/relay/cc/1.14/rooms", { token, hubKey });
      if ((last as { status: number }).status === 200) return;
      await sleep(restMs);
    }
    throw new Error(`the hub cannot be reached: ${JSON.stringify(last)}`);
  }
}
