import assert from "node:assert/strict";
import { until } from "@ledge/testkit";
import { HttpTransportType, type HubConnection, HubConnectionBuilder, LogLevel } from "@microsoft/signalr";
import { MessagePackHubProtocol } from "@microsoft/signalr-protocol-msgpack";
import type { GraphResponse } from "../graph/graph.ts";
import type { Served } from "../http/test-served.ts";
import type { Push } from "./pushes.ts";

/** All ways of a client to `/hub/v1`, by name. */
export const transports: readonly (readonly [name: string, transport: HttpTransportType])[] = [
  ["WebSockets", HttpTransportType.WebSockets],
  ["Server-Sent Events", HttpTransportType.ServerSentEvents],
  ["long polling", HttpTransportType.LongPolling],
];

export interface PushClientOptions {
  readonly transport?: HttpTransportType;
  /** The address of the cloud (default: where it is served). */
  readonly base?: string;
  /** Whether it speaks MessagePack (default: JSON). */
  readonly isBinary?: boolean;
}

/** An ordinary client, and what it was pushed. */
export class PushClient {
  readonly #served: Served;
  readonly connection: HubConnection;
  readonly pushes: Push[] = [];
  failure: Error | undefined;
  /** What the client has noticed of its connection: `reconnecting`, `closed`. */
  readonly noticed: string[] = [];

  private constructor(served: Served, token: string, options: PushClientOptions) {
    const { transport = HttpTransportType.WebSockets, base = served.base, isBinary = false } = options;
    this.#served = served;
    const builder = new HubConnectionBuilder();
    if (isBinary) builder.withHubProtocol(new MessagePackHubProtocol());
    this.connection = builder
      .withUrl(`${base}/hub/v1`, { accessTokenFactory: () => token, transport })
      .withAutomaticReconnect([0])
      .configureLogging(LogLevel.None)
      .build();
    this.connection.onreconnecting(() => this.noticed.push("reconnecting"));
    this.connection.onclose(() => this.noticed.push("closed"));
  }

  static async start(served: Served, token: string, options: PushClientOptions = {}): Promise<PushClient> {
    const client = new PushClient(served, token, options);
    await client.connection.start();
    return client;
  }

  /** Opens the stream of pushes. */
  open(): void {
    this.connection.stream<{ push: Push }>("Push", {}).subscribe({
      next: ({ push }) => void this.pushes.push(push),
      error: (error: Error) => (this.failure = error),
      complete: () => {},
    });
  }

  async command(command: object): Promise<GraphResponse["result"]> {
    return (await this.connection.invoke<GraphResponse>("Command", { command })).result;
  }

  /**
   * Waits until a push is there.
   * @param withinMs how much time of the cloud may pass
   */
  async gets(what: (push: Push) => boolean, withinMs = Infinity): Promise<Push> {
    await this.waits(() => this.pushes.some(what), withinMs);
    return this.pushes.find(what) ?? assert.fail();
  }

  /** Waits until something holds, and lets time of the cloud pass meanwhile. */
  async waits(holds: () => boolean, withinMs = Infinity): Promise<void> {
    const { clock } = this.#served.test;
    const end = clock.monotonic() + withinMs - stepMs;
    await until(() => holds() || void (clock.monotonic() <= end && clock.pass(stepMs)));
  }
}

const stepMs = 20;

/** Returns whether a push says that a lamp is on, or off. */
export function isLamp(id: string, isOn: boolean): (push: Push) => boolean {
  return (push) =>
    push.type === "DeviceStateDeviceRegisterPush" && push.deviceId === id && push.state?.["isOn"] === isOn;
}
