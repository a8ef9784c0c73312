// Fan-out of a SignalR hub: the same items to many sockets, joined to one frame per socket and tick, against a frame
// for each item. And the memory of a stream that is idle.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { listen } from "@ledge/host/server";
import { createHub, serializeOnce, type StreamCall } from "@ledge/signalr";
import type { Figure } from "./figure.ts";
import { forked } from "./forked.ts";

const clients = 1000;
const itemsPerFrame = 20;
const frames = 10;
const rounds = 3;
const idleClients = [1000, 5000] as const;

const push = {
  type: "DeviceStateDeviceRegisterPush",
  deviceRegisterId: "8d1d7f5e-7a11-4a37-9d5c-6f0c3a6a2f10",
  deviceId: "kitchen-lamp",
  state: { isOn: true, brightness: 0.5 },
};

export async function signalrFigures(): Promise<readonly Figure[]> {
  return [...(await fanOut()), await idle()];
}

/** The slope over the second group of clients: the first one warms the process up. */
async function idle(): Promise<Figure> {
  const hub = forked("signalr-idle.child.ts");
  const started = [hub];
  try {
    const [url] = (await once(hub, "message")) as [string];
    const sizes: number[] = [];
    for (const count of idleClients) {
      const child = forked("signalr-clients.child.ts", url, String(count));
      started.push(child);
      await once(child, "message");
      hub.send("memory");
      const [size] = (await once(hub, "message")) as [number];
      sizes.push(size);
    }
    const [before = NaN, after = NaN] = sizes;
    return {
      name: "signalr memory per idle stream",
      value: (after - before) / idleClients[1],
      unit: "kB",
      limit: "<= 25",
      gated: true,
      how: `growth of the resident memory of the hub's process from ${idleClients[0]} to ${idleClients[0] + idleClients[1]} clients with an open stream`,
    };
  } finally {
    for (const child of started) child.kill("SIGKILL");
  }
}

async function fanOut(): Promise<readonly Figure[]> {
  const calls: StreamCall[] = [];
  const hub = createHub({
    path: "/hub",
    joinMs: 0,
    streams: {
      async watch(call) {
        calls.push(call);
        await once(call.signal, "abort");
      },
    },
  });
  const server = createServer();
  hub.attach(server);
  const address = await listen(server, "127.0.0.1", 0);
  const child = forked("signalr-clients.child.ts", `${address}/hub`, String(clients));
  try {
    await once(child, "message");
    while (calls.length < clients) await turn();
    let [joined, single] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      joined = Math.max(joined, await rate(calls, child, itemsPerFrame, frames));
      single = Math.max(single, await rate(calls, child, 1, frames));
    }
    const how = `${clients} sockets, ${itemsPerFrame} items per frame against one, best of ${rounds} rounds in turns`;
    return [
      { name: "signalr pushes", value: joined, unit: "pushes/s", limit: ">= 500000", gated: false, how },
      {
        name: "signalr joined over single",
        value: joined / single,
        unit: "x",
        limit: ">= 8",
        gated: true,
        how,
      },
    ];
  } finally {
    child.kill("SIGKILL");
    hub.abort();
    server.close();
  }
}

/** Pushes per second, until the clients have all of them. */
async function rate(
  calls: readonly StreamCall[],
  child: ChildProcess,
  items: number,
  times: number,
): Promise<number> {
  const frameBytes = Buffer.byteLength(
    `${JSON.stringify({ type: 2, invocationId: "0", item: { push } })}\x1e`,
  );
  const got = once(child, "message");
  child.send(frameBytes * items * times * calls.length);
  const began = performance.now();
  for (let time = 0; time < times; time++) {
    for (let index = 0; index < items; index++) {
      const item = serializeOnce({ push });
      for (const call of calls) call.write(item);
    }
    await turn();
    for (const call of calls) if (call.isCongested) await call.ready();
  }
  await got;
  return (items * times * calls.length) / ((performance.now() - began) / 1000);
}
