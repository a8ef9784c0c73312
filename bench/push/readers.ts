// Clients that note when each push came: one by a connection, one by fetches.
import { once } from "node:events";
import { WebSocket } from "ws";
import { monotonicMs } from "./reports.ts";

interface Push {
  readonly type: string;
  readonly deviceRegisterId?: string;
  readonly deviceId?: string;
  readonly timestamp?: number;
}

/** When pushes came, by register, device and timestamp. */
export class Arrivals {
  readonly #at = new Map<string, number>();
  /** Registers whose snapshot has come whole. */
  readonly whole = new Set<string>();

  note({ type, deviceRegisterId = "", deviceId = "", timestamp = 0 }: Push): void {
    if (type === "SnapshotDeviceRegisterPush") this.whole.add(deviceRegisterId);
    const key = keyOf(deviceRegisterId, deviceId, timestamp);
    if (type === "DeviceStateDeviceRegisterPush" && !this.#at.has(key)) this.#at.set(key, monotonicMs());
  }

  /** When a push came, in ms; undefined if a newer one took its place. */
  of(registerId: string, deviceId: string, timestamp: number): number | undefined {
    return this.#at.get(keyOf(registerId, deviceId, timestamp));
  }
}

function keyOf(registerId: string, deviceId: string, timestamp: number): string {
  return `${registerId} ${deviceId} ${timestamp}`;
}

/** Opens a connection that subscribes to registers and reads its stream. */
export async function openStream(
  url: string,
  token: string,
  registers: readonly string[],
): Promise<Arrivals> {
  const arrivals = new Arrivals();
  const webSocket = new WebSocket(`${url.replace("http", "ws")}/hub/v1?access_token=${token}`, {
    perMessageDeflate: false,
  });
  await once(webSocket, "open");
  const send = (message: object): void => webSocket.send(`${JSON.stringify(message)}\x1e`);
  send({ protocol: "json", version: 1 });
  webSocket.on("message", (data: Buffer) => {
    for (const record of data
      .toString()
      .split("\x1e")
      .filter((text) => text !== "")) {
      const { item, error } = JSON.parse(record) as { item?: { push: Push }; error?: string };
      if (error !== undefined) throw new Error(error);
      if (item !== undefined) arrivals.note(item.push);
    }
  });
  send({ type: 4, invocationId: "p", target: "Push", arguments: [{}] });
  registers.forEach((deviceRegisterId, index) => {
    const command = { type: "SubscribeDeviceRegisterCommand", deviceRegisterId };
    send({ type: 1, invocationId: `${index}`, target: "Command", arguments: [{ command }] });
  });
  return arrivals;
}

/** Fetches again and again, as the same user. Ends with the signal. */
export function fetchOn(url: string, token: string, signal: AbortSignal): Arrivals {
  const arrivals = new Arrivals();
  const headers = { authorization: token, "content-type": "application/json" };
  const body = JSON.stringify({ sessionId: "bench", wait: 25 });
  const fetchOnce = async (): Promise<void> => {
    const answer = await fetch(`${url}/graph/push`, { method: "POST", headers, body, signal });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    // Each piece holds whole elements, as the cloud writes them.
    for await (const piece of answer.body ?? []) {
      const text = Buffer.from(piece as Uint8Array)
        .toString()
        .replace(/^[[,]/, "")
        .replace(/\]$/, "");
      for (const { push } of JSON.parse(`[${text}]`) as readonly { push: Push }[]) arrivals.note(push);
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) await fetchOnce();
  };
  run().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return arrivals;
}
