// How fast a cloud takes what waits at a hub, against storing the same rows alone; and whether the hub's own network
// feels that a cloud follows the home.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { applyChanges, Asking, gatewayRow } from "@ledge/cloud/replication";
import { openLmdbRegisterStore, type RegisterStore } from "@ledge/fleet";
import { socketConsole } from "@ledge/host/cli/client";
import { systemClock } from "@ledge/kernel";
import type { Figure } from "./figure.ts";
import { collect } from "./heap.ts";
import { forked } from "./forked.ts";
import { HubFolder } from "./hub-process.ts";
import { CloudProcess } from "./relay/cloud-process.ts";
import { ownersEmail } from "./relay/sessions.ts";
import type { WaitingHome } from "./replication-hub.child.ts";
import { quantile } from "./rounds.ts";

const devices = 1000;
const events = 1_000_000;
const answersPerTurn = 10;

export async function replicationFigures(): Promise<readonly Figure[]> {
  return [...(await speed()), ...(await localNetwork())];
}

async function speed(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const child = forked("replication-hub.child.ts", String(devices), String(events));
  const stores: RegisterStore[] = [];
  try {
    const [home] = (await once(child, "message")) as [WaitingHome];
    const session = connect(home.address);
    const [followed, alone] = [await storeAt(folder, "followed", home), await storeAt(folder, "alone", home)];
    stores.push(followed, alone);
    const whole = new Follower(session, home, followed, true);
    const storing = new Follower(session, home, alone, false);
    let [seconds, best, bestAlone] = [0, Infinity, Infinity];
    while (whole.hasMore) {
      collect();
      const began = performance.now();
      let answers = 0;
      for (; answers < answersPerTurn && whole.hasMore; answers++) await whole.take();
      const wholeMs = performance.now() - began;
      seconds += wholeMs / 1000;
      collect();
      const storedMs = storing.storedMs;
      for (let answer = 0; answer < answers; answer++) await storing.take();
      // The last turn may be a short one.
      if (answers < answersPerTurn) continue;
      best = Math.min(best, wholeMs);
      bestAlone = Math.min(bestAlone, storing.storedMs - storedMs);
    }
    const taken = whole.events;
    session.destroy();
    const how = `${taken} events of ${devices} devices, hub in a process of its own, store on disk; turns of ${answersPerTurn} answers`;
    return [
      {
        name: "replication of waiting events",
        value: taken / seconds,
        unit: "events/s",
        limit: ">= 20000",
        gated: false,
        how,
      },
      {
        name: "replication storing alone per whole",
        value: bestAlone / best,
        unit: "x",
        limit: ">= 0.5",
        gated: true,
        how: `${how}; the best turn of each`,
      },
    ];
  } finally {
    child.kill("SIGKILL");
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a store that has read a home up to where its events begin to wait. */
async function storeAt(folder: string, name: string, { hubId, cursor }: WaitingHome): Promise<RegisterStore> {
  const onDiscarded = (problem: string): never => {
    throw new Error(problem);
  };
  const store = await openLmdbRegisterStore({ folder: join(folder, name), now: () => 0, onDiscarded });
  const batch = {
    source: hubId,
    generation: 0,
    after: null,
    upto: cursor,
    upserts: [],
    removals: [],
    outbox: [],
  };
  await store.apply(batch);
  return store;
}

/** Takes the answers of a home, as a cloud does. */
class Follower {
  readonly #session: ClientHttp2Session;
  readonly #home: WaitingHome;
  readonly #store: RegisterStore;
  readonly #isAhead: boolean;
  readonly #asking = new Asking(systemClock, new AbortController().signal);
  hasMore = true;
  /** How many events were told. */
  events = 0;
  /** How long the store has worked. */
  storedMs = 0;

  /** @param isAhead whether it asks for an answer while it stores the one before */
  constructor(session: ClientHttp2Session, home: WaitingHome, store: RegisterStore, isAhead: boolean) {
    this.#session = session;
    this.#home = home;
    this.#store = store;
    this.#isAhead = isAhead;
  }

  /** Takes an answer. */
  async take(): Promise<void> {
    const { hubId } = this.#home;
    const store = this.#store;
    const { cursor = null } = (await store.cursorOf(hubId)) ?? {};
    const answer = await this.#asking.next(this.#session, cursor);
    if (answer === undefined) throw new Error("the hub tells nothing");
    const read = await answer.read();
    if (read.end.more && this.#isAhead) await this.#asking.ahead(this.#session, read.end.next);
    const applied = await applyChanges(hubId, cursor, read, {
      store: {
        scan: (...asked) => store.scan(...asked),
        forget: (source) => store.forget(source),
        apply: async (batch) => {
          const began = performance.now();
          const stored = await store.apply(batch);
          this.storedMs += performance.now() - began;
          return stored;
        },
      },
      gateways: [gatewayRow(hubId, hubId, { name: "Bench", version: "1", at: 1 })],
      described: (row) => row,
      now: () => 1,
      messagesFor: () => [],
      onEvents: () => {},
      onStored: () => {},
      onChanged: () => {},
      signal: new AbortController().signal,
    });
    if (applied.outcome !== "applied") throw new Error("a batch was refused");
    this.events += read.lines.filter((line) => "event" in line).length;
    this.hasMore = read.end.more;
  }
}

const localDevices = 1000;
const reportsPerSecond = 200;
const polls = 300;
const rounds = 6;
/** How long a cloud may take until it follows a home, or has left it. */
const settleMs = 2000;

/** A hub whose devices report all the time, polled on its own network while a cloud follows it, and while none does. */
async function localNetwork(): Promise<readonly Figure[]> {
  const cloud = await CloudProcess.start();
  const sim = { seed: 1, devices: localDevices, latencyMs: 0, reportsPerSecond };
  const folder = new HubFolder({ sim });
  const hub = await folder.start([], cloud.url);
  try {
    await hub.claim(ownersEmail);
    const key = await hub.key();
    await hub.devices(localDevices, key);
    const samples = { none: [] as number[], states: [] as number[] };
    for (let round = 0; round < rounds; round++)
      for (const share of ["none", "states"] as const) {
        await hub.call("PUT", "/hub/sharing", key, { type: "SHARING", share });
        // What the beginning of a share costs counts as well, its deletion at the cloud does not.
        if (share === "none") await sleep(settleMs);
        samples[share].push(...(await pollTimes(folder.data)));
      }
    return [0.5, 0.99].map((part) => {
      const without = quantile(samples.none, part);
      return {
        name: `replication poll p${part * 100}, followed per not`,
        value: quantile(samples.states, part) / without,
        unit: "x",
        limit: "<= 1.5",
        gated: false,
        how: `${rounds} rounds of ${polls} polls each, taking turns, ${reportsPerSecond} reports/s of ${localDevices} devices; ${without.toFixed(2)} ms without`,
      };
    });
  } finally {
    await hub.stop();
    folder.remove();
    await cloud.stop();
  }
}

/** The times (ms) of polls that follow the home, by the console: nobody counts how often that asks. */
async function pollTimes(data: string): Promise<number[]> {
  const console = socketConsole(data);
  const times: number[] = [];
  let cursor = 0;
  for (let count = -1; count < polls; count++) {
    const began = performance.now();
    const { status, json } = await console.call("GET", `/cc/1.14/hub/poll?ts=${cursor}`);
    if (status !== 200) throw new Error(`a poll is answered ${status}`);
    // The first one gets the whole home.
    if (count >= 0) times.push(performance.now() - began);
    cursor = (json as { readonly timestamp: number }).timestamp;
    await sleep(2);
  }
  return times;
}
