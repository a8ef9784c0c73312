import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";

/** The longest answer that is read; a bridge with 63 lamps sends about 200 kB. */
const mostBytes = 8_000_000;

/** What went wrong with a request: nothing came back, or something that no bridge says. */
export class BridgeFault extends Error {
  override readonly name = "BridgeFault";
}

/** The certificate is not the one that the bridge had when it was paired. */
export class OtherCertificate extends BridgeFault {}

export interface Asked {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answered {
  readonly status: number;
  readonly json: unknown;
}

/** Opens TLS without an authority, and hands the connection on only if the certificate is the pinned one. */
class PinnedAgent extends HttpsAgent {
  /** SHA-256 as pairs of digits with colons; undefined: the first one seen is taken. */
  fingerprint: string | undefined;

  constructor(fingerprint: string | undefined) {
    super({ keepAlive: true, maxSockets: 4, maxCachedSessions: 0 });
    this.fingerprint = fingerprint;
  }

  override createConnection(
    { host, port }: { host?: string | null | undefined; port?: number | string | null | undefined },
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const socket: TLSSocket = connect(
      { host: host ?? "", port: Number(port), rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] },
      () => {
        const { fingerprint256 } = socket.getPeerCertificate();
        this.fingerprint ??= fingerprint256;
        if (this.fingerprint === fingerprint256) {
          socket.off("error", fail);
          callback?.(null, socket);
          return;
        }
        socket.destroy(new OtherCertificate("the bridge has another certificate than when it was paired"));
      },
    );
    const fail = (error: Error): void => callback?.(error, socket);
    socket.once("error", fail);
    return undefined;
  }
}

/** HTTP with one bridge. Follows no redirection, so nothing goes anywhere else. */
export class BridgeHttp {
  readonly origin: string;
  readonly #agent: HttpAgent | PinnedAgent;

  constructor(origin: string, fingerprint?: string) {
    this.origin = origin;
    this.#agent = origin.startsWith("https:")
      ? new PinnedAgent(fingerprint)
      : new HttpAgent({ keepAlive: true, maxSockets: 4 });
  }

  /** The SHA-256 of the bridge's certificate; undefined without TLS, and before the first answer. */
  get fingerprint(): string | undefined {
    return this.#agent instanceof PinnedAgent ? this.#agent.fingerprint : undefined;
  }

  /** @throws BridgeFault, or the reason of the signal */
  async ask(asked: Asked): Promise<Answered> {
    const { status, text } = await this.text(asked);
    try {
      return { status, json: JSON.parse(text) as unknown };
    } catch (cause) {
      // What is not there is said in HTML.
      if (status >= 400) return { status, json: undefined };
      throw new BridgeFault(`the answer ${status} is no JSON`, { cause });
    }
  }

  /** @throws as `ask` */
  async text(asked: Asked): Promise<{ readonly status: number; readonly text: string }> {
    const response = await this.open(asked);
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > mostBytes) throw new BridgeFault(`the answer is longer than ${mostBytes} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      asked.signal?.throwIfAborted();
      throw faultOf(error);
    } finally {
      response.destroy();
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") };
  }

  /** Resolves with an answer whose body is still to come. @throws as `ask` */
  async open({ method = "GET", path, key, body, timeoutMs = 5000, signal }: Asked): Promise<IncomingMessage> {
    signal?.throwIfAborted();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const send = this.origin.startsWith("https:") ? httpsRequest : httpRequest;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = send(new URL(path, this.origin), {
      method,
      agent: this.#agent,
      ...(signal && { signal }),
      timeout: timeoutMs,
      headers: {
        ...(key !== undefined && { "hue-application-key": key }),
        ...(text !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
        }),
      },
    });
    // The time without a byte, while connecting, waiting and reading.
    outgoing.on("timeout", () => outgoing.destroy(new BridgeFault("the bridge does not answer")));
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    outgoing.end(text);
    try {
      return await promise;
    } catch (error) {
      signal?.throwIfAborted();
      throw faultOf(error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

function faultOf(error: unknown): BridgeFault {
  if (error instanceof BridgeFault) return error;
  return new BridgeFault((error as Error).message || String(error), { cause: error });
}
