import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";

/** The process must not contact this address. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress";
}

/** The answer was not complete in time. */
export class LateAnswer extends Error {
  override readonly name = "LateAnswer";
}

/** The answer was one in another protocol than HTTP (RFC 9110 15.2.2). */
export class ChangedProtocol extends Error {
  override readonly name = "ChangedProtocol";
}

export interface Exchange {
  readonly method: "GET" | "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The limit for the whole exchange (ms). */
  readonly timeoutMs: number;
  /** The maximum size of the answer's body; the rest is cut off. */
  readonly bytesMax: number;
  /** Ends the exchange. */
  readonly signal?: AbortSignal;
}

export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Whether the body was longer than `bytesMax`. */
  readonly isCut: boolean;
}

/** Resolves names to all of their addresses, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Says which addresses may be asked. */
export interface Guard {
  /** @param isPlain whether without TLS */
  mayAsk(address: string, isPlain: boolean): boolean;
  /** Why an address may not be asked, in words that follow its name. */
  readonly refusal: string;
}

export interface OutgoingOptions {
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** How long a connection is kept without a request (ms). Default: as long as the other end keeps it. */
  readonly idleMs?: number;
}

/**
 * Sends requests to addresses that people name. A guard judges the address of the actual connection, so that a
 * name cannot change after the check. Redirects are not followed.
 */
export class Outgoing {
  readonly #guard: Guard;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor(guard: Guard, { resolve = lookup, idleMs }: OutgoingOptions = {}) {
    this.#guard = guard;
    const options = { keepAlive: true, ...(idleMs !== undefined && { timeout: idleMs }) };
    this.#http = new HttpAgent({ ...options, lookup: this.#judging(resolve, true) });
    this.#https = new HttpsAgent({ ...options, lookup: this.#judging(resolve, false) });
  }

  /** Whether requests to an IP address are allowed. @param isPlain whether without TLS */
  mayAsk(address: string, isPlain: boolean): boolean {
    return this.#guard.mayAsk(address, isPlain);
  }

  /**
   * Sends a request and reads the answer.
   * @param url of http or https
   * @throws ForbiddenAddress, LateAnswer, ChangedProtocol, the error of `node:http` or `node:tls`, the reason of the signal
   */
  async exchange(url: string, exchange: Exchange): Promise<Exchanged> {
    const { method, headers, body, timeoutMs, bytesMax } = exchange;
    const target = new URL(url);
    const host = target.hostname.replaceAll(/^\[|\]$/g, "");
    const isPlain = target.protocol === "http:";
    if (isIP(host) !== 0 && !this.mayAsk(host, isPlain)) throw this.#forbidden(host);
    const late = AbortSignal.timeout(timeoutMs);
    const signal = exchange.signal === undefined ? late : AbortSignal.any([late, exchange.signal]);
    const send = isPlain ? httpRequest : httpsRequest;
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const agent = isPlain ? this.#http : this.#https;
        const request = send(target, { method, headers, agent, signal }, resolve);
        // Without a listener, an answer that changes the protocol would be neither an answer nor an error.
        request.on("upgrade", (answer, socket) => {
          socket.destroy();
          reject(new ChangedProtocol(`answered ${answer.statusCode}, for another protocol`));
        });
        request.on("error", reject).end(body);
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      let isCut = false;
      // Leaving the loop ends the connection.
      for await (const chunk of response as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        isCut = bytes > bytesMax;
        if (isCut) break;
        chunks.push(chunk);
      }
      const text = Buffer.concat(chunks).toString("utf8");
      return { status: response.statusCode ?? 0, headers: response.headers, body: text, isCut };
    } catch (error) {
      throw late.aborted ? new LateAnswer("did not answer in time") : error;
    }
  }

  /** Closes the connections that are kept. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #forbidden(host: string): ForbiddenAddress {
    return new ForbiddenAddress(`${host} ${this.#guard.refusal}`);
  }

  #judging(resolve: Resolve, isPlain: boolean): LookupFunction {
    return (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, []);
        const [first] = addresses;
        const isForbidden = addresses.some(({ address }) => !this.mayAsk(address, isPlain));
        if (isForbidden || first === undefined) return callback(this.#forbidden(hostname), []);
        if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    };
  }
}
