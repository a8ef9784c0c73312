import assert from "node:assert/strict";
import type { ServerHttp2Stream } from "node:http2";
import type { ChangesHead } from "@ledge/link";
import { until } from "@ledge/testkit";
import type { Served } from "../http/test-served.ts";
import type { Answer } from "../relay/test-relay.ts";
import type { TestHub } from "../testdata/open-cloud.ts";

/** Asked for what has changed: the cursor, and the stream for the answer. */
export interface Asked {
  readonly after: string | null;
  readonly stream: ServerHttp2Stream;
}

/** A hub with an owner. Tests answer what it is asked for its changes. */
export class TestHome {
  readonly hub: TestHub;
  readonly owner: string;
  readonly asked: Asked[] = [];
  readonly #served: Served;
  readonly #token: string;

  private constructor(served: Served, { hub, owner, hubToken }: Awaited<ReturnType<Served["claimed"]>>) {
    this.#served = served;
    this.hub = hub;
    this.owner = owner;
    this.#token = hubToken;
  }

  /**
   * Makes a hub, claims it and dials.
   * @param answer answers each request for changes; default: it waits in `asked`
   */
  static async open(served: Served, email: string, answer?: (asked: Asked) => void): Promise<TestHome> {
    const home = new TestHome(served, await served.claimed(email));
    await home.dial(answer);
    return home;
  }

  async dial(answer: (asked: Asked) => void = () => {}): Promise<void> {
    const changes: Answer = (stream, headers) => {
      const after = new URL(String(headers[":path"]), "http://hub").searchParams.get("after") || null;
      const asked = { after, stream };
      this.asked.push(asked);
      answer(asked);
    };
    const others: Answer = (stream) => stream.respond({ ":status": 204 }, { endStream: true });
    await this.#served.dial(this.#token, others, changes);
  }

  /** Waits for the next request for changes. @param count which one, 1 for the first */
  next(count: number): Promise<Asked> {
    return until(`request ${count} for changes`, () => this.asked[count - 1]);
  }

  /** Returns the ids of the rows in the hub's register, but for the hub itself. */
  async ids(): Promise<string[]> {
    const found: string[] = [];
    for (const kind of ["device", "alarm"] as const)
      for await (const { id } of this.#served.test.cloud.registers.scan(this.hub.id, kind))
        if (id !== this.hub.id) found.push(id);
    return found;
  }

  /** Waits until a batch with this cursor is stored. */
  async stored(cursor: string): Promise<void> {
    const { registers } = this.#served.test.cloud;
    await until(
      `the cursor ${cursor}`,
      async () => (await registers.cursorOf(this.hub.id))?.cursor === cursor,
    );
  }

  /** Returns the reasons for which the process log says that the changes of this hub were not taken. */
  get reasons(): unknown[] {
    const lines = this.#served.log.filter(({ hubId }) => hubId === this.hub.id);
    return lines.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  }

  /** Returns what Graph says of the hub. */
  async object(): Promise<Readonly<Record<string, unknown>>> {
    const { hub } = await this.#served.graph(this.owner, { type: "GetHubQuery", hubId: this.hub.id });
    return (hub ?? assert.fail()) as Record<string, unknown>;
  }
}

/** Returns the lines of an answer. */
export function linesOf(
  { after }: Pick<Asked, "after">,
  lines: readonly object[],
  end: object,
  more: Partial<ChangesHead> = {},
): string {
  return headLine({ after }, more) + [...lines, end].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Returns the first line of an answer. */
export function headLine({ after }: Pick<Asked, "after">, more: Partial<ChangesHead> = {}): string {
  const head = { v: 1, share: "states", generation: 0, full: false, after, ...more };
  return `${JSON.stringify(head)}\n`;
}

/** Answers with a body. */
export function send({ stream }: Asked, body: string | Uint8Array, headers: object = {}): void {
  stream.respond({ ":status": 200, "content-type": "application/x-ndjson", ...headers });
  stream.end(body);
}

/** A line that tells a device. */
export function deviceLine(id: string, timestamp = 1, more: object = {}): object {
  return { device: { id, timestamp, name: id, ...more } };
}
