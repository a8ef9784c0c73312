import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { monotonicMs } from "../push/reports.ts";

interface Body {
  readonly siteId: string;
  readonly targetId: string;
  readonly events: readonly { readonly type: string; readonly entity?: { readonly displayName: string } }[];
}

/** Receives the numbered events of all targets at once. */
export class BenchReceiver {
  readonly #server: Server;
  /** How many events a target has got, by site and target. */
  readonly #next = new Map<string, number>();
  /** Events that came twice, or before one that is older. */
  strays = 0;
  events = 0;
  requests = 0;
  /** How long (ms) each event took from its commit's begin, by site; filled while `isTiming`. */
  readonly delays = new Map<string, number[]>();
  isTiming = false;
  /** The site whose events it does not take now. */
  refuses: string | undefined;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => void chunks.push(chunk));
      request.on("end", () => {
        const at = monotonicMs();
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
        if (body.siteId === this.refuses) return void response.writeHead(503).end();
        this.#take(body, at);
        response.writeHead(204).end();
      });
    });
  }

  static async start(): Promise<BenchReceiver> {
    const receiver = new BenchReceiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** How many events a site's target has got. */
  of(siteId: string, targetId = "target0"): number {
    return this.#next.get(`${siteId} ${targetId}`) ?? 0;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take({ siteId, targetId, events }: Body, at: number): void {
    this.requests++;
    const key = `${siteId} ${targetId}`;
    let next = this.#next.get(key) ?? 0;
    for (const { type, entity } of events) {
      if (type !== "EntityUpdated") continue;
      const [number, begun] = (entity?.displayName ?? "").split(" ").map(Number);
      if (number !== next) this.strays++;
      next = (number ?? next) + 1;
      this.events++;
      if (!this.isTiming || begun === undefined) continue;
      const delays = this.delays.get(siteId) ?? [];
      this.delays.set(siteId, delays);
      delays.push(at - begun);
    }
    this.#next.set(key, next);
  }
}
