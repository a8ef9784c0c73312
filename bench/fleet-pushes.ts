// Pushes of our hub beside those of socket.io, with the same payload, to as many sockets of one other process.
import { once } from "node:events";
import { createServer } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { listen } from "@ledge/host/server";
import { createHub, serializeOnce, type StreamCall } from "@ledge/signalr";
import { Server } from "socket.io";
import type { Figure } from "./figure.ts";
import { forked } from "./forked.ts";

const rounds = 5;
const clients = 1000;
const items = 100;
const itemsPerFrame = 20;
const told = { limit: null, gated: false } as const;

const push = {
  type: "DeviceStateDeviceRegisterPush",
  deviceRegisterId: "8d1d7f5e-7a11-4a37-9d5c-6f0c3a6a2f10",
  deviceId: "kitchen-lamp",
  state: { isOn: true, brightness: 0.5 },
};

export async function fleetPushFigures(): Promise<readonly Figure[]> {
  const [ours, theirs] = [await ourSockets(), await socketIo()];
  try {
    const best = { ours: 0, theirs: 0 };
    for (let round = 0; round < rounds; round++) {
      best.ours = Math.max(best.ours, await ours.rate());
      best.theirs = Math.max(best.theirs, await theirs.rate());
    }
    const how = `${items} pushes to ${clients} WebSockets of another process until they have all, best of ${rounds} rounds in turns; ours joins ${itemsPerFrame} in a frame, as its tick does`;
    return [
      { name: "fleet pushes", value: best.ours, unit: "pushes/s", ...told, how },
      { name: "fleet pushes over socket.io", value: best.ours / best.theirs, unit: "x", ...told, how },
    ];
  } finally {
    await ours.close();
    await theirs.close();
  }
}

interface Sockets {
  /** Pushes per second. */
  rate(): Promise<number>;
  close(): void | Promise<void>;
}

async function ourSockets(): Promise<Sockets> {
  const calls: StreamCall[] = [];
  const watch = async (call: StreamCall): Promise<void> => {
    calls.push(call);
    await once(call.signal, "abort");
  };
  const hub = createHub({ path: "/hub", joinMs: 0, streams: { watch } });
  const server = createServer();
  hub.attach(server);
  const child = forked(
    "signalr-clients.child.ts",
    `${await listen(server, "127.0.0.1", 0)}/hub`,
    `${clients}`,
  );
  await once(child, "message");
  while (calls.length < clients) await turn();
  const bytes = Buffer.byteLength(`${JSON.stringify({ type: 2, invocationId: "0", item: { push } })}\u001e`);
  return {
    rate: () =>
      rateOf(child, bytes, async (at) => {
        const item = serializeOnce({ push });
        for (const call of calls) call.write(item);
        if ((at + 1) % itemsPerFrame > 0) return;
        await turn();
        for (const call of calls) if (call.isCongested) await call.ready();
      }),
    close: () => {
      child.kill("SIGKILL");
      hub.abort();
      server.close();
    },
  };
}

async function socketIo(): Promise<Sockets> {
  const server = createServer();
  const io = new Server(server, { transports: ["websocket"], perMessageDeflate: false });
  const address = await listen(server, "127.0.0.1", 0);
  const child = forked("socketio-clients.child.ts", address, `${clients}`);
  await once(child, "message");
  const bytes = Buffer.byteLength(`42${JSON.stringify(["push", push])}`);
  return {
    rate: () =>
      rateOf(child, bytes, async (at) => {
        io.emit("push", push);
        if ((at + 1) % itemsPerFrame === 0) await turn();
      }),
    close: () => {
      child.kill("SIGKILL");
      // Its timers would keep this process alive.
      return io.close();
    },
  };
}

async function rateOf(
  child: ReturnType<typeof forked>,
  bytes: number,
  send: (at: number) => Promise<void>,
): Promise<number> {
  const got = once(child, "message");
  child.send(bytes * items * clients);
  const began = performance.now();
  for (let at = 0; at < items; at++) await send(at);
  await got;
  return (items * clients) / ((performance.now() - began) / 1000);
}
