import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

/** https://opentelemetry.io/docs/specs/otlp: JSON of an ExportTraceServiceRequest. */
interface Exported {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly Omit<CollectedSpan, "process">[];
    }[];
  }[];
}

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** The process that has sent it. */
  readonly process: string;
}

/** Takes the traces of clouds by OTLP over HTTP. */
export class TraceCollector {
  readonly #server: Server;
  readonly spans: CollectedSpan[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    collector.#server.listen(0, "127.0.0.1");
    await once(collector.#server, "listening");
    return collector;
  }

  /** Runs something that spawns a cloud at once, which sends its traces here. @param name of the cloud's process */
  traced<T>(name: string, spawn: () => T): T {
    const { port } = this.#server.address() as AddressInfo;
    const preload = pathToFileURL(join(import.meta.dirname, "../../examples/tracing.mjs")).href;
    const before = process.env;
    process.env = {
      ...before,
      NODE_OPTIONS: `--import=${preload}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/${name}`,
      OTEL_BSP_SCHEDULE_DELAY: "200",
    };
    try {
      return spawn();
    } finally {
      process.env = before;
    }
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const process = /^\/(\w+)\/v1\/traces$/.exec(request.url ?? "")?.[1];
    if (process === undefined) return void response.writeHead(404).end();
    for (const { scopeSpans } of (JSON.parse(await text(request)) as Exported).resourceSpans)
      for (const { scope, spans } of scopeSpans)
        if (scope.name === "ledge-cloud") this.spans.push(...spans.map((span) => ({ ...span, process })));
    response.setHeader("content-type", "application/json").end("{}");
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
