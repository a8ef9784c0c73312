// Pushes of a cloud: from the report of a device at its hub to the client, and what an idle stream costs. And a query
// of Graph beside the same read at the hub.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DeviceRow, openLmdbRegisterStore } from "@ledge/fleet";
import type { Figure } from "./figure.ts";
import { forked } from "./forked.ts";
import { deviceId } from "./home.ts";
import { type Arrivals, fetchOn, openStream } from "./push/readers.ts";
import type { PushHubs, Reported, Reporting } from "./push/reports.ts";
import { CloudProcess } from "./relay/cloud-process.ts";
import { ownersEmail } from "./relay/sessions.ts";
import { ask, type Way } from "./relay/way.ts";
import { quantile } from "./rounds.ts";

const hubs = 20;
const reporting: Reporting = { perSecond: 200, seconds: 20 };
const warming: Reporting = { perSecond: 200, seconds: 2 };
const storeCommits = 300;
/** Together with the subscriptions fewer than the cloud answers of one user in a minute. */
const queries = 200;
/** How long (ms) pushes may take behind the last report. */
const patienceMs = 5000;
const streamsEach = 20;
const collections = 5;
const idleUsers = [25, 75] as const;

export async function pushFigures(): Promise<readonly Figure[]> {
  return [...(await latency()), await idle()];
}

async function latency(): Promise<readonly Figure[]> {
  const cloud = await CloudProcess.start();
  const child = forked("push-hubs.child.ts", cloud.url, String(hubs));
  const leaving = new AbortController();
  try {
    const [{ address, hubIds }] = (await once(child, "message")) as [PushHubs];
    const { token, hubKeys } = await cloud.logIn(ownersEmail);
    const stream = await openStream(cloud.url, token, hubIds);
    while (stream.whole.size < hubIds.length) await sleep(20);
    const fetched = fetchOn(cloud.url, token, leaving.signal);
    await letReport(child, warming);
    const reported = await letReport(child, reporting);
    await sleep(patienceMs);
    const [first = ""] = hubIds;
    const direct = { base: address, headers: { authorization: hubKeys[first] ?? "" } };
    return [
      ...latencyFigures("stream", reported, stream),
      ...latencyFigures("fetch", reported, fetched),
      ratioFigure(reported, stream, await storeCommitMs()),
      ...(await queryFigures(direct, { base: cloud.url, headers: { authorization: token } }, first)),
    ];
  } finally {
    leaving.abort();
    child.kill("SIGKILL");
    await cloud.stop();
  }
}

async function letReport(child: ChildProcess, what: Reporting): Promise<readonly Reported[]> {
  const answered = once(child, "message");
  child.send(what);
  const [reported] = (await answered) as [readonly Reported[]];
  return reported;
}

function latenciesOf(reported: readonly Reported[], arrivals: Arrivals): readonly number[] {
  return reported.flatMap((one) => {
    const came = arrivals.of(one.hubId, one.deviceId, one.timestamp);
    return came === undefined ? [] : [came - one.at];
  });
}

function latencyFigures(name: string, reported: readonly Reported[], arrivals: Arrivals): readonly Figure[] {
  const samples = latenciesOf(reported, arrivals);
  const told = { limit: null, gated: false } as const;
  const how = `${reporting.perSecond} reports/s from ${hubs} hubs for ${reporting.seconds} s, from the report to the client`;
  return [
    ...[0.5, 0.99].map((share) => {
      const value = quantile(samples, share);
      return { name: `push ${name}, p${share * 100}`, value, unit: "ms", ...told, how };
    }),
    {
      name: `push ${name}, newest instead of older`,
      value: 1 - samples.length / reported.length,
      unit: "x",
      ...told,
      how: "share of the reports whose state was replaced by a newer one before it was read",
    },
  ];
}

/** p99 beyond 20 ms, by what has to be waited for in any case. */
function ratioFigure(reported: readonly Reported[], arrivals: Arrivals, commitMs: number): Figure {
  const p99 = quantile(latenciesOf(reported, arrivals), 0.99);
  const ackMs = quantile(
    reported.map((one) => one.ackMs),
    0.99,
  );
  return {
    name: "push stream p99 beyond 20 ms, per acknowledgement and commit",
    value: Math.max(0, p99 - 20) / (ackMs + commitMs),
    unit: "x",
    limit: "<= 3",
    gated: false,
    how: `acknowledgement of the hub ${ackMs.toFixed(2)} ms and commit of the register store ${commitMs.toFixed(2)} ms, both p99`,
  };
}

/** p99 of a commit of one device to a register store on disk. */
async function storeCommitMs(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const store = await openLmdbRegisterStore({ folder, now: Date.now, onDiscarded: () => {} });
  try {
    const samples: number[] = [];
    for (let index = 0; index < storeCommits; index++) {
      const began = performance.now();
      await store.apply({
        source: "hub",
        generation: 1,
        after: index === 0 ? null : String(index - 1),
        upto: String(index),
        upserts: [rowOf(index)],
        removals: [],
        outbox: [],
      });
      samples.push(performance.now() - began);
    }
    return quantile(samples, 0.99);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(timestamp: number): DeviceRow {
  const id = deviceId(timestamp % 50);
  const device = {
    id,
    isActive: true,
    name: id,
    type: "LIGHT",
    capabilities: ["ON_OFF", "BRIGHTNESS"],
    createdAt: 0,
    modifiedAt: timestamp,
    createdBy: "",
    modifiedBy: "",
    routing: { gatewayId: "hub", protocol: "sim" },
    nativeId: id,
    serialNumber: "",
    model: "L1",
    manufacturer: "Bench",
    tags: {},
  };
  const object = { type: "DEVICE", id, state: { isOn: true, brightness: 0.5 }, timestamp };
  return { kind: "device", register: "hub", id, source: "hub", timestamp, device, object };
}

/** One device: at the hub, by Graph through the tunnel, and by Graph from the register. */
async function queryFigures(direct: Way, cloud: Way, hubId: string): Promise<readonly Figure[]> {
  const graph = (query: object): Buffer => Buffer.from(JSON.stringify({ query }));
  const state = { type: "GetDeviceStateDeviceRegisterQuery", deviceRegisterId: hubId, deviceId: deviceId(0) };
  const ways = [
    { name: "at the hub", way: direct, path: "/cc/1.14/devices", body: undefined },
    {
      name: "by Graph at the hub",
      way: cloud,
      path: "/graph/query",
      body: graph({ type: "DevicesHubQuery", hubId }),
    },
    { name: "by Graph in the register", way: cloud, path: "/graph/query", body: graph(state) },
  ].map((one) => ({ ...one, agent: new Agent({ keepAlive: true }), samples: [] as number[] }));
  for (const { name, way, path, body } of ways) await mustShow(name, way, path, body);
  for (let round = -queries / 10; round < queries; round++) {
    for (const { way, path, body, agent, samples } of ways) {
      const began = performance.now();
      await ask(way, path, agent, body);
      if (round >= 0) samples.push(performance.now() - began);
    }
  }
  for (const { agent } of ways) agent.destroy();
  const how = `a home of one device, ${queries} reads each way in turns, one connection each`;
  const [hub = NaN, ...others] = ways.map(({ samples }) => quantile(samples, 0.5));
  const told = { limit: null, gated: false, how } as const;
  return [
    ...ways.map(({ name, samples }) => ({
      name: `push read of a device ${name}, p50`,
      value: quantile(samples, 0.5),
      unit: "ms",
      ...told,
    })),
    ...others.map((value, index) => ({
      name: `push read of a device ${ways[index + 1]?.name ?? ""} per read at the hub, p50`,
      value: value / hub,
      unit: "x",
      ...told,
    })),
  ];
}

/** @throws Error unless a way shows the device */
async function mustShow(name: string, { base, headers }: Way, path: string, body?: Buffer): Promise<void> {
  const asked = body === undefined ? { headers } : { method: "POST", headers, body: new Uint8Array(body) };
  const text = await (await fetch(base + path, asked)).text();
  if (!text.includes('"brightness"')) throw new Error(`${name}: ${text.slice(0, 500)}`);
}

/** The slope over the second group of users: the first one warms the process up. */
async function idle(): Promise<Figure> {
  const cloud = await CloudProcess.start();
  const started: ChildProcess[] = [];
  try {
    const sizes: number[] = [];
    let users = 0;
    for (const count of idleUsers) {
      const urls: string[] = [];
      for (let left = count; left > 0; left--) {
        const user = users++;
        const token = await cloud.tokenOf(`user${user}@example.org`, `198.18.${user >> 8}.${user & 255}`);
        urls.push(`${cloud.url}/hub/v1?access_token=${token}`);
      }
      const child = forked("signalr-clients.child.ts", urls.join(","), String(streamsEach), "Push");
      started.push(child);
      await once(child, "message");
      // The first collection leaves pages that later ones give back.
      const sampled: number[] = [];
      for (let left = collections; left > 0; left--) sampled.push(await cloud.pssKb());
      sizes.push(Math.min(...sampled));
    }
    const [before = NaN, after = NaN] = sizes;
    const [warm, measured] = idleUsers.map((count) => count * streamsEach) as [number, number];
    return {
      name: "push memory per idle stream",
      value: (after - before) / measured,
      unit: "kB",
      limit: "<= 25",
      gated: true,
      how: `growth of the PSS of the cloud's process from ${warm} to ${warm + measured} connections with an open stream, ${streamsEach} of each user`,
    };
  } finally {
    for (const child of started) child.kill("SIGKILL");
    await cloud.stop();
  }
}
