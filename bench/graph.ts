// The deprecated 1.0 API beside Graph: the same question to the same handler, over HTTP.
import { Agent } from "node:http";
import type { Figure } from "./figure.ts";
import { CloudProcess } from "./relay/cloud-process.ts";
import { ask, type Way } from "./relay/way.ts";
import { quantile } from "./rounds.ts";

const users = 12;
/** Of each user, each way and in a round; together fewer than the cloud answers of a user in a minute. */
const requests = 90;
const roundsOfUser = 3;

/** One way to ask, and what it took. */
interface Asked {
  readonly path: string;
  readonly body: Buffer | undefined;
  readonly agent: Agent;
  readonly times: number[];
  /** Processor time (us) of the cloud per request, by round. */
  readonly cpu: number[];
}

/** @returns figures of the group `graph` */
export async function graphFigures(): Promise<readonly Figure[]> {
  const cloud = await CloudProcess.start();
  const agents = [
    new Agent({ keepAlive: true, maxSockets: 1 }),
    new Agent({ keepAlive: true, maxSockets: 1 }),
  ];
  const [old, graph] = agents.map((agent) => ({ agent, times: [] as number[], cpu: [] as number[] }));
  if (old === undefined || graph === undefined) throw new Error("two ways");
  try {
    for (let user = 0; user < users; user++) {
      const token = await cloud.tokenOf(`user${user}@example.org`, `198.18.0.${user + 1}`);
      const way = { base: cloud.url, headers: { authorization: token, "content-type": "application/json" } };
      const tenantId = await tenantOf(way);
      const query = { type: "GetTenantQuery", tenantId };
      const ways: readonly Asked[] = [
        { ...old, path: `/1.0/Tenants/${tenantId}`, body: undefined },
        { ...graph, path: "/graph/query", body: Buffer.from(JSON.stringify({ query })) },
      ];
      for (let round = 0; round < roundsOfUser; round++)
        for (const one of ways) await askRound(cloud, way, one);
    }
  } finally {
    for (const agent of agents) agent.destroy();
    await cloud.stop();
  }
  const how = `${users * roundsOfUser} rounds of ${requests} requests each way in turns, one connection each`;
  const told = { limit: null, gated: false, how } as const;
  const [least, leastOfGraph] = [Math.min(...old.cpu), Math.min(...graph.cpu)];
  return [
    { name: "graph 1.0 question, p50", value: quantile(old.times, 0.5), unit: "ms", ...told },
    { name: "graph question, p50", value: quantile(graph.times, 0.5), unit: "ms", ...told },
    { name: "graph cpu of the cloud per question", value: leastOfGraph, unit: "us", ...told },
    {
      name: "graph cpu of a 1.0 question per one of Graph",
      value: least / leastOfGraph,
      unit: "x",
      limit: "<= 1.2",
      gated: true,
      how: `${how}; the best round of each`,
    },
  ];
}

async function askRound(cloud: CloudProcess, way: Way, asked: Asked): Promise<void> {
  const { path, body, agent, times, cpu } = asked;
  const before = cloud.cpuUs();
  for (let count = 0; count < requests; count++) {
    const began = performance.now();
    await ask(way, path, agent, body);
    times.push(performance.now() - began);
  }
  cpu.push((cloud.cpuUs() - before) / requests);
}

/** The personal tenant of a user. @throws Error unless both ways tell it */
async function tenantOf({ base, headers }: Way): Promise<string> {
  const body = JSON.stringify({ query: { type: "GetActiveTenantQuery" } });
  const answer = await fetch(`${base}/graph/query`, { method: "POST", headers, body });
  const { result } = (await answer.json()) as { result: { tenant?: { tenantId: string } } };
  const { tenantId } = result.tenant ?? {};
  const old = await (await fetch(`${base}/1.0/Tenants/${tenantId}`, { headers })).text();
  if (tenantId === undefined || !old.includes(tenantId)) throw new Error(`no tenant: ${old}`);
  return tenantId;
}
