import { setTimeout } from "node:timers/promises";
import type { CloudProcess } from "@ledge/cloud/process";
import type { Nodes } from "./nodes.ts";

/** How a change was answered: stored, refused without being stored, or not at all. */
type Answered = "stored" | "refused" | "lost";

/** An account that makes one entity of its site after the other, at whichever process, and tries each once more. */
export class Writer {
  readonly acknowledged: string[] = [];
  /** Changes that were neither stored at the first nor at the second try. */
  failed = 0;
  /** How many tries were answered that nothing can be changed now. */
  refused = 0;
  readonly token: string;
  readonly #siteId: string;

  private constructor(token: string, siteId: string) {
    this.token = token;
    this.#siteId = siteId;
  }

  static async on(cloud: CloudProcess, email: string): Promise<Writer> {
    const token = await cloud.logIn(email);
    return new Writer(token, await newSite(cloud, token));
  }

  async write(nodes: Nodes, over: AbortSignal): Promise<void> {
    for (let count = 1; !over.aborted;) {
      const name = `room-${count}`;
      const first = nodes.any();
      let answered = await this.#make(first, name);
      if (answered !== "stored") answered = await this.#make(nodes.any(first), name);
      if (answered === "stored") {
        this.acknowledged.push(name);
        count += 1;
      } else this.failed += 1;
      // 600 requests a minute are allowed.
      await setTimeout(answered === "stored" ? 110 : 220);
    }
  }

  /** A write whose answer did not come is there already when it was stored. */
  async #make(cloud: CloudProcess, name: string): Promise<Answered> {
    const entity = { type: "room", name };
    const fields = { type: "CreateEntitySiteCommand", siteId: this.#siteId, entity };
    try {
      const { error } = await asked(cloud, this.token, "command", fields);
      const { code } = (error ?? {}) as { code?: string };
      if (code === undefined || code === "E_CONFLICT") return "stored";
      if (code === "E_READ_ONLY") this.refused += 1;
      return "refused";
    } catch {
      return "lost";
    }
  }

  async roomsOn(cloud: CloudProcess): Promise<ReadonlySet<string>> {
    const query = { type: "FindEntitiesSiteQuery", siteId: this.#siteId, globPattern: "*" };
    return new Set(await namesIn(cloud, this.token, query));
  }
}

/** Makes the first site of an account. @returns its id */
export async function newSite(cloud: CloudProcess, token: string): Promise<string> {
  const { data } = await asked(cloud, token, "query", { type: "ListSubscriptionQuery" });
  const [first] = data as { subscriptionId: string }[];
  if (first === undefined) throw new Error("the account has no subscription");
  const { subscriptionId } = first;
  const group = { type: "CreateResourceGroupCommand", subscriptionId, name: "homes" };
  await asked(cloud, token, "command", group);
  const { resource } = await asked(cloud, token, "command", {
    type: "CreateResourceCommand",
    subscriptionId,
    resourceGroupName: "homes",
    name: "villa",
    provider: "Vendor.Sites",
  });
  return (resource as { properties: { siteId: string } }).properties.siteId;
}

/** Returns the names in all pages of a list. */
export async function namesIn(cloud: CloudProcess, token: string, query: object): Promise<string[]> {
  const names: string[] = [];
  for (let next: string | undefined | null; next !== null;) {
    const fields = { ...query, pageSize: 2000, ...(next !== undefined && { next }) };
    const page = await asked(cloud, token, "query", fields);
    const { data, links } = page as { data: { name: string }[]; links: { next: string | null } };
    for (const { name } of data) names.push(name);
    ({ next } = links);
  }
  return names;
}

/**
 * Asks Graph.
 * @param patienceMs how long to wait for the answer; for ever by default
 * @throws Error when the process does not answer in time, or with an error status
 */
export async function asked(
  cloud: CloudProcess,
  token: string,
  kind: "command" | "query",
  fields: object,
  patienceMs?: number,
): Promise<Record<string, unknown>> {
  const signal = patienceMs === undefined ? null : AbortSignal.timeout(patienceMs);
  const method = kind === "command" ? "PUT" : "POST";
  const reply = await cloud.call(method, `/graph/${kind}`, token, { [kind]: fields }, signal);
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  return ((await reply.json()) as { result: Record<string, unknown> }).result;
}
