// Processor time of a poll over HTTP, measured natively: the hub's API against what node:http takes by itself.
import { type ChildProcess, spawn } from "node:child_process";
import { Agent } from "node:http";
import { join } from "node:path";
import type { Figure } from "./figure.ts";
import { get, opened } from "./gate/client.ts";

const server = join(import.meta.dirname, "gate", "server.ts");
const warmRequests = 2000;
const windowRequests = 1000;
const rounds = 8;

/** Name -> server and number of changed objects. */
const kinds = {
  "bare static": ["bare", 0],
  static: ["static", 0],
  "idle poll": ["hub", 0],
  "poll of 10": ["hub", 10],
} as const;

interface Asked {
  readonly child: ChildProcess;
  /** Processor time (us) of the server per request, over a window. */
  readonly window: (requests: number) => Promise<number>;
}

export async function httpFigures(): Promise<readonly Figure[]> {
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const asked = new Map<string, Asked>();
  try {
    for (const name of names) asked.set(name, await start(kinds[name][0], kinds[name][1]));
    for (const { window } of asked.values()) await window(warmRequests);
    const best = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      for (const [name, { window }] of asked) {
        best.set(name, Math.min(best.get(name) ?? Infinity, await window(windowRequests)));
      }
    }
    const how = `user and system time of the server's process, one connection, best of ${rounds} interleaved windows of ${windowRequests} requests`;
    return names.map((name) => {
      const value = best.get(name) ?? NaN;
      return { name: `http ${name}, cpu per request`, value, unit: "us", limit: null, gated: false, how };
    });
  } finally {
    for (const { child } of asked.values()) child.kill("SIGKILL");
  }
}

async function start(kind: string, changed: number): Promise<Asked> {
  const child = spawn(process.execPath, [server, kind], { stdio: ["ignore", "pipe", "inherit"] });
  const { port, markPort, key, cursors } = await opened(child);
  const cursor = cursors.find(([count]) => count === changed)?.[1] ?? 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (on: number): Promise<string> => get(on, `/cc/1.14/hub/poll?ts=${cursor}`, key, agent);
  const cpuUs = async (): Promise<number> => (JSON.parse(await ask(markPort)) as { cpuUs: number }).cpuUs;
  return {
    child,
    async window(requests) {
      const before = await cpuUs();
      for (let turn = 0; turn < requests; turn++) await ask(port);
      return ((await cpuUs()) - before) / requests;
    },
  };
}
