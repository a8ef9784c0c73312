// Instructions per turn of the hot paths and per HTTP request, on the guest.
import { once } from "node:events";
import { Agent } from "node:http";
import { text } from "node:stream/consumers";
import { get, opened } from "./client.ts";
import { type Guest, openGuest } from "./guest.ts";
import { marksIn, perTurn, warmWindows, windowRequests, windows, windowTurns } from "./windows.ts";

export interface Counts {
  readonly node: string;
  readonly qemu: string;
  /** aarch64 instructions per turn or request, by name. */
  readonly instructions: Readonly<Record<string, number>>;
}

/** Name of a count -> kernel and number of objects in its home. */
const kernels = {
  "idle poll": ["idle", "1000"],
  "poll 10 of 1000": ["poll", "1000"],
  "poll 10 of 100000": ["poll", "100000"],
  touch: ["touch", "1000"],
  "commit of 10": ["commit", "1000"],
} as const;

/** Name of a count -> path of a change of a role in the cloud. */
const cloudPaths = { "role by Graph": "graph", "role by submit": "submit" } as const;

/** Name of a count -> server and number of changed objects. */
const servers = {
  "request, bare static": ["bare", 0],
  "request, static": ["static", 0],
  "request, idle poll": ["hub", 0],
  "request, poll 10": ["hub", 10],
} as const;

const all = [...Object.keys(kernels), ...Object.keys(cloudPaths), ...Object.keys(servers)];

/** Counts everything, two at a time. @param names of the counts that are wanted */
export async function countInstructions(names: readonly string[] = all): Promise<Counts> {
  const guest = await openGuest();
  const found: Record<string, number> = {};
  const named: [string, () => Promise<number>][] = [
    ...Object.entries(kernels).map(([name, [kernel, objects]]): [string, () => Promise<number>] => [
      name,
      () => countTurns(guest, "kernels", kernel, objects),
    ]),
    ...Object.entries(cloudPaths).map(([name, path]): [string, () => Promise<number>] => [
      name,
      () => countTurns(guest, "graph", path),
    ]),
    ...Object.entries(servers).map(([name, [server, changed]]): [string, () => Promise<number>] => [
      name,
      () => countRequests(guest, server, changed),
    ]),
  ];
  const jobs = named
    .filter(([name]) => names.includes(name))
    .map(([name, count]) => async () => {
      found[name] = await count();
    });
  // The longest first, then the others beside it.
  const order = [...jobs.splice(2, 1), ...jobs];
  const work = async (): Promise<void> => {
    for (let job = order.shift(); job !== undefined; job = order.shift()) await job();
  };
  await Promise.all([work(), work()]);
  const instructions = Object.fromEntries(names.map((name) => [name, Math.round(found[name] ?? NaN)]));
  return { ...guest.versions, instructions };
}

async function countTurns(
  guest: Guest,
  entry: "graph" | "kernels",
  ...args: readonly string[]
): Promise<number> {
  const child = await guest.start(entry, ...args);
  const [printed, [code]] = await Promise.all([
    text(child.stderr as NodeJS.ReadableStream),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(`${entry} ${args.join(" ")} ended with ${code}: ${printed}`);
  // What the cloud keeps in memory grows in a window or not.
  return perTurn(marksIn(printed), windowTurns, entry === "graph" ? "least" : "middle");
}

async function countRequests(guest: Guest, server: string, changed: number): Promise<number> {
  const child = await guest.start("server", server);
  const printed = text(child.stderr as NodeJS.ReadableStream);
  try {
    const { port, markPort, key, cursors } = await opened(child);
    const cursor = cursors.find(([count]) => count === changed)?.[1] ?? 0;
    const path = `/cc/1.14/hub/poll?ts=${cursor}`;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (on: number): Promise<string> => get(on, path, key, agent);
    const body = await ask(port);
    if (server === "hub" && !body.includes('"full":false'))
      throw new Error(`this is no answer of a poll: ${body.slice(0, 200)}`);
    await ask(markPort);
    for (let window = 0; window < warmWindows + windows; window++) {
      for (let turn = 0; turn < windowRequests; turn++) await ask(port);
      await ask(markPort);
    }
    agent.destroy();
  } finally {
    child.kill("SIGKILL");
  }
  return perTurn(marksIn(await printed), windowRequests, "least");
}
