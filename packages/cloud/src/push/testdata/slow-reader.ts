// Clients of `/hub/v1` that read only when they are told to, one for each transport.
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { RawClient } from "@ledge/signalr/testing";
import { type SimulatedClock, until } from "@ledge/testkit";
import type { Served } from "../../http/test-served.ts";
import type { Push } from "../pushes.ts";

const stepMs = 20;

/** A client that has subscribed, and whose stream of pushes is open. */
export abstract class SlowReader {
  abstract readonly name: string;
  protected readonly clock: SimulatedClock;
  #text = "";
  /** Invocation id -> whether it was answered. */
  readonly #answered = new Set<unknown>();
  /** How many pushes it has read. */
  count = 0;
  /** Device -> the newest state that it has read. */
  readonly states = new Map<string, unknown>();

  /** @param clock that of the cloud */
  constructor(clock: SimulatedClock) {
    this.clock = clock;
  }

  /** Sends messages. */
  protected abstract send(text: string): Promise<void>;
  /** Reads a part of what waits, if anything does. */
  abstract readSome(): Promise<void>;
  abstract end(): Promise<void>;

  /** Does the handshake, subscribes to a register and opens the stream. */
  async begin(deviceRegisterId: string): Promise<void> {
    const command = { type: "SubscribeDeviceRegisterCommand", deviceRegisterId };
    await this.send('{"protocol":"json","version":1}\x1e');
    await this.#sendMessage({ type: 1, invocationId: "0", target: "Command", arguments: [{ command }] });
    await this.#readUntil(() => this.#answered.has("0"));
    await this.#sendMessage({ type: 4, invocationId: "1", target: "Push", arguments: [{}] });
    await this.#readUntil(() => this.count > 0);
  }

  /** Shows that the client is alive. */
  ping(): Promise<void> {
    return this.#sendMessage({ type: 6 });
  }

  #sendMessage(message: object): Promise<void> {
    return this.send(`${JSON.stringify(message)}\x1e`);
  }

  async #readUntil(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await this.readSome();
      await this.clock.pass(stepMs);
    }
  }

  /** Takes text of the hub, in pieces of any size. */
  protected take(text: string): void {
    const records = (this.#text + text).split("\x1e");
    this.#text = records.pop() ?? "";
    for (const record of records) {
      const message = JSON.parse(record) as {
        type?: number;
        invocationId?: string;
        item?: { push: Push };
        error?: string;
      };
      if (message.error !== undefined) assert.fail(message.error);
      if (message.type === 3) this.#answered.add(message.invocationId);
      if (message.item === undefined) continue;
      this.count++;
      const { push } = message.item;
      if (push.type === "DeviceStateDeviceRegisterPush") this.states.set(push.deviceId, push.state);
    }
  }
}

class SlowWebSocket extends SlowReader {
  readonly name = "WebSockets";
  readonly #client: RawClient;

  constructor(clock: SimulatedClock, client: RawClient) {
    super(clock);
    this.#client = client;
    client.webSocket.removeAllListeners("message");
    client.webSocket.on("message", (data: Buffer) => {
      client.webSocket.pause();
      this.take(data.toString());
    });
    client.webSocket.pause();
  }

  protected async send(text: string): Promise<void> {
    this.#client.webSocket.send(text);
  }

  async readSome(): Promise<void> {
    this.#client.webSocket.resume();
    await nextTurns();
    this.#client.webSocket.pause();
  }

  async end(): Promise<void> {
    this.#client.webSocket.terminate();
  }
}

/** A client that sends by POST. */
abstract class SlowPoster extends SlowReader {
  protected readonly address: string;

  /** @param address of the connection, with its token */
  constructor(clock: SimulatedClock, address: string) {
    super(clock);
    this.address = address;
  }

  protected async send(body: string): Promise<void> {
    const { status } = await fetch(this.address, { method: "POST", body });
    assert.equal(status, 200);
  }
}

class SlowEvents extends SlowPoster {
  readonly name = "Server-Sent Events";
  readonly #answer: IncomingMessage;
  #line = "";

  constructor(clock: SimulatedClock, address: string, answer: IncomingMessage) {
    super(clock, address);
    this.#answer = answer;
    answer.setEncoding("utf8");
    answer.on("error", () => {});
    answer.pause();
  }

  async readSome(): Promise<void> {
    await nextTurns();
    const lines = (this.#line + String(this.#answer.read() ?? "")).split("\r\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) this.take(line.slice("data: ".length));
  }

  async end(): Promise<void> {
    this.#answer.destroy();
  }
}

class SlowPolls extends SlowPoster {
  readonly name = "long polling";

  async readSome(): Promise<void> {
    let read: string | undefined;
    void fetch(this.address)
      .then((answer) => answer.text())
      .then((text) => (read = text));
    await until("the poll is answered", () => read !== undefined || void this.clock.pass(stepMs));
    this.take(read ?? "");
  }

  /** The polls are signs of life themselves. */
  override async ping(): Promise<void> {}

  async end(): Promise<void> {
    await fetch(this.address, { method: "DELETE" });
  }
}

/** Opens a client for each transport. */
export async function openSlowReaders(
  { base, test: { clock } }: Served,
  token: string,
): Promise<readonly SlowReader[]> {
  const query = `access_token=${token}`;
  const negotiated = async (): Promise<string> => {
    const answer = await fetch(`${base}/hub/v1/negotiate?negotiateVersion=1&${query}`, { method: "POST" });
    const { connectionToken } = (await answer.json()) as { connectionToken: string };
    return `${base}/hub/v1?id=${connectionToken}&${query}`;
  };
  const events = await negotiated();
  const [answer] = (await once(get(events, { headers: { accept: "text/event-stream" } }), "response")) as [
    IncomingMessage,
  ];
  const polls = await negotiated();
  await (await fetch(polls)).text();
  const webSocket = await RawClient.open(await negotiated());
  return [
    new SlowWebSocket(clock, webSocket),
    new SlowEvents(clock, events, answer),
    new SlowPolls(clock, polls),
  ];
}

/** Lets the sockets of this process carry what waits. */
async function nextTurns(): Promise<void> {
  let turns = 0;
  await until(() => ++turns > 2);
}
