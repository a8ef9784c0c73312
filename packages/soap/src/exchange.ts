import { type IncomingMessage, request as httpRequest } from "node:http";
import { authorityOf, type Place } from "./address.ts";
import { OtherCertificate, Pin } from "./pin.ts";

/** Why an exchange has failed. `certificate`: the device shows another than the pinned one, and was told nothing. */
export type ExchangeFailure = "refused" | "timeout" | "lost" | "large" | "cancelled" | "certificate";

export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly failure: ExchangeFailure;
  constructor(failure: ExchangeFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

export interface Outgoing {
  readonly place: Place;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The limit for the whole exchange (ms). */
  readonly timeoutMs: number;
  /** The most that the answer's body may have; a longer one fails as `large`. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
  /** The certificate that a place with TLS must show; absent: any. */
  readonly pin?: Pin | undefined;
}

export interface Incoming {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/**
 * Sends a request over HTTP or HTTPS, in a connection of its own, and reads the answer. It connects to an IP address, so no name
 * is resolved, and follows no redirect.
 * @throws ExchangeError
 */
export async function exchange(outgoing: Outgoing): Promise<Incoming> {
  const { place, method, path, headers, body, timeoutMs, bytesMax, signal, pin = new Pin() } = outgoing;
  const late = AbortSignal.timeout(timeoutMs);
  const ends = signal === undefined ? late : AbortSignal.any([late, signal]);
  try {
    const secured = place.isSecure ? await pin.open(place, ends) : undefined;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(
        {
          host: place.address,
          port: place.port,
          method,
          path: path.startsWith("/") ? path : `/${path}`,
          headers: {
            ...headers,
            Host: authorityOf(place),
            ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }),
          },
          ...(secured === undefined ? { agent: false } : { createConnection: () => secured }),
          signal: ends,
          maxHeaderSize: 16_384,
        },
        resolve,
      );
      request.on("upgrade", (_, socket) => {
        socket.destroy();
        reject(new ExchangeError("lost", "answered in another protocol"));
      });
      request.on("error", reject).end(body);
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Leaving the loop ends the connection.
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new ExchangeError("large", `answered more than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  } catch (error) {
    throw failureOf(error, signal?.aborted === true, late.aborted);
  }
}

function failureOf(error: unknown, isCancelled: boolean, isLate: boolean): ExchangeError {
  if (error instanceof ExchangeError) return error;
  if (error instanceof OtherCertificate)
    return new ExchangeError("certificate", error.message, { cause: error });
  if (isCancelled) return new ExchangeError("cancelled", "nobody waits", { cause: error });
  if (isLate) return new ExchangeError("timeout", "did not answer in time", { cause: error });
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED")
    return new ExchangeError("refused", "refused the connection", { cause: error });
  if (code === "ETIMEDOUT" || code === "EHOSTUNREACH" || code === "ENETUNREACH")
    return new ExchangeError("timeout", "is not there", { cause: error });
  return new ExchangeError("lost", `the connection ended: ${code ?? message}`, { cause: error });
}
