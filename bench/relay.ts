// The hub's API through a cloud's relay and the tunnel, against the same API asked directly.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@ledge/model";
import type { Figure } from "./figure.ts";
import { forked } from "./forked.ts";
import type { RelayHub } from "./relay-hub.child.ts";
import { CloudProcess } from "./relay/cloud-process.ts";
import { ownersEmail } from "./relay/sessions.ts";
import { ask, type Way } from "./relay/way.ts";
import { quantile } from "./rounds.ts";

const warmRequests = 500;
const latencyRequests = 3000;
/** Together fewer than the cloud answers of one user in a minute. */
const graphWarmRequests = 100;
const graphRequests = 400;
const inFlight = 32;
const rateRequests = 4000;
const bulkBytes = 16_777_216;
const rounds = 4;
const idleHubs = 1000;

export async function relayFigures(): Promise<readonly Figure[]> {
  return [...(await speed()), await memory()];
}

async function speed(): Promise<readonly Figure[]> {
  const cloud = await CloudProcess.start();
  const child = forked("relay-hub.child.ts", cloud.url, String(bulkBytes));
  try {
    const [{ address, cursor }] = (await once(child, "message")) as [RelayHub];
    const { token, hubKey } = await cloud.logIn(ownersEmail);
    const direct = { base: address, headers: { authorization: hubKey } };
    const relayed = {
      base: `${cloud.url}/relay`,
      headers: { authorization: token, "x-hub-key": hubKey },
    };
    const poll = `/cc/1.14/hub/poll?ts=${cursor}`;
    return [
      ...(await latencies(direct, relayed, poll)),
      ...(await graphLatencies(direct, { base: cloud.url, headers: { authorization: token } }, poll)),
      ...(await rates(direct, relayed, poll, () => cloud.cpuUs())),
      ...(await bulks(direct, relayed)),
    ];
  } finally {
    child.kill("SIGKILL");
    await cloud.stop();
  }
}

async function latencies(direct: Way, relayed: Way, path: string): Promise<readonly Figure[]> {
  const ways = [direct, relayed].map((way) => ({ way, agent: agentOf(1), samples: [] as number[] }));
  for (let turn = -warmRequests; turn < latencyRequests; turn++) {
    for (const { way, agent, samples } of ways) {
      const began = performance.now();
      await ask(way, path, agent);
      if (turn >= 0) samples.push(performance.now() - began);
    }
  }
  for (const { agent } of ways) agent.destroy();
  const how = `${latencyRequests} idle polls each way in turns, one connection each`;
  return [0.5, 0.99].flatMap((share) => {
    const [straight = NaN, through = NaN] = ways.map(({ samples }) => quantile(samples, share));
    const name = `p${share * 100}`;
    const told = { unit: "ms", gated: false, how };
    return [
      { name: `relay direct, ${name}`, value: straight, limit: null, ...told },
      { name: `relay relayed, ${name}`, value: through, limit: null, ...told },
      {
        name: `relay added, ${name}`,
        value: through - straight,
        limit: share === 0.5 ? "<= 0.3" : null,
        ...told,
      } as const,
    ];
  });
}

/** The same poll as a message of Graph: the cloud reads it, signs a key and reads the hub's answer. */
async function graphLatencies(direct: Way, cloud: Way, path: string): Promise<readonly Figure[]> {
  const hubId = hubIn(direct.headers["authorization"] ?? "");
  const ts = Number(path.split("=")[1]);
  const body = Buffer.from(JSON.stringify({ query: { type: "PollHubQuery", hubId, ts } }));
  const ways = [
    { way: direct, path, samples: [] as number[] },
    { way: cloud, path: "/graph/query", body, samples: [] as number[] },
  ];
  const first = await fetch(`${cloud.base}/graph/query`, { method: "POST", headers: cloud.headers, body });
  const text = await first.text();
  if (!text.includes('"POLL_DELTA"')) throw new Error(`Graph did not poll: ${text}`);
  const agents = ways.map(() => agentOf(1));
  for (let turn = -graphWarmRequests; turn < graphRequests; turn++) {
    for (const [index, { way, path: at, body: sent, samples }] of ways.entries()) {
      const began = performance.now();
      await ask(way, at, agents[index] as Agent, sent);
      if (turn >= 0) samples.push(performance.now() - began);
    }
  }
  for (const agent of agents) agent.destroy();
  const [straight = NaN, asked = NaN] = ways.map(({ samples }) => quantile(samples, 0.5));
  const how = `${graphRequests} idle polls each way in turns, one connection each`;
  return [
    { name: "relay Graph query, p50", value: asked, unit: "ms", limit: null, gated: false, how },
    {
      name: "relay Graph query per direct poll, p50",
      value: asked / straight,
      unit: "x",
      limit: null,
      gated: false,
      how,
    },
  ];
}

/** Returns the hub of a HubKey. */
function hubIn(hubKey: string): string {
  const payload: unknown = JSON.parse(Buffer.from(hubKey.split(".")[1] ?? "", "base64url").toString());
  return (payload as { hub_id: string }).hub_id;
}

async function rates(
  direct: Way,
  relayed: Way,
  path: string,
  cpuUs: () => number,
): Promise<readonly Figure[]> {
  let leastUs = Infinity;
  const [straight, through] = await bestOf([direct, relayed], async (way) => {
    const agent = agentOf(inFlight);
    let left = rateRequests;
    const client = async (): Promise<void> => {
      while (left-- > 0) await ask(way, path, agent);
    };
    const [began, cpuBefore] = [performance.now(), cpuUs()];
    await Promise.all(Array.from({ length: inFlight }, client));
    const took = performance.now() - began;
    if (way === relayed) leastUs = Math.min(leastUs, (cpuUs() - cpuBefore) / rateRequests);
    agent.destroy();
    return (rateRequests / took) * 1000;
  });
  const told = { unit: "requests/s", limit: null, gated: false };
  const how = `${rateRequests} idle polls, ${inFlight} in flight, best of ${rounds} rounds in turns`;
  return [
    { name: "relay direct, rate", value: straight, ...told, how },
    { name: "relay relayed, rate", value: through, ...told, how },
    { name: "relay cpu of the cloud per request", value: leastUs, ...told, unit: "us", how },
  ];
}

async function bulks(direct: Way, relayed: Way): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, body] of [
    ["to the client", undefined],
    ["to the hub", Buffer.alloc(bulkBytes, 1)],
  ] as const) {
    const [straight, through] = await bestOf([direct, relayed], async (way) => {
      const agent = agentOf(1);
      const began = performance.now();
      await ask(way, "/cc/1.14/bulk", agent, body);
      const took = performance.now() - began;
      agent.destroy();
      return bulkBytes / 1e6 / (took / 1000);
    });
    const told = { unit: "MB/s", limit: null, gated: false };
    const how = `a body of ${bulkBytes} bytes, best of ${rounds} rounds in turns`;
    figures.push(
      { name: `relay direct, body ${name}`, value: straight, ...told, how },
      { name: `relay relayed, body ${name}`, value: through, ...told, how },
    );
  }
  return figures;
}

/** What a further hub takes. The hubs before it have brought what the process takes once, such as compiled code. */
async function memory(): Promise<Figure> {
  const cloud = await CloudProcess.start();
  const children: ChildProcess[] = [];
  const dialled = async (): Promise<number> => {
    const child = forked(
      "relay-idle.child.ts",
      cloud.url,
      String(children.length * idleHubs),
      String(idleHubs),
    );
    children.push(child);
    await once(child, "message");
    await sleep(limits.tunnelPingMs + limits.tunnelSilenceMs);
    return cloud.pssKb();
  };
  try {
    const before = await dialled();
    return {
      name: "relay memory per idle hub",
      value: ((await dialled()) - before) / idleHubs,
      unit: "kB",
      limit: "<= 40",
      gated: true,
      how: `growth of the PSS of the cloud's process by ${idleHubs} hubs that were registered, got a session and have dialled, after as many others; least of 4 readings`,
    };
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await cloud.stop();
  }
}

/** The best of each way, which take turns. */
async function bestOf(
  ways: readonly [Way, Way],
  measure: (way: Way) => Promise<number>,
): Promise<readonly [number, number]> {
  const best: [number, number] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    best[0] = Math.max(best[0], await measure(ways[0]));
    best[1] = Math.max(best[1], await measure(ways[1]));
  }
  return best;
}

const agentOf = (connections: number): Agent => new Agent({ keepAlive: true, maxSockets: connections });

/** Asks once, to the end of the answer. */
