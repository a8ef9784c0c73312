import { lookup } from "node:dns";
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isOwnOrLinkAddress } from "@ledge/link";

/** The hub must not contact this address. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress";
  constructor(host: string) {
    super(`${host} is this machine or of its link, and the profile does not allow that (localTargets)`);
  }
}

/** The answer was not complete in time. */
export class LateAnswer extends Error {
  override readonly name = "LateAnswer";
}

export interface Exchange {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The limit for the whole exchange (ms). */
  readonly timeoutMs: number;
  /** The maximum size of the answer's body; the rest is cut off. */
  readonly bytesMax: number;
}

export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Whether the body was longer than `bytesMax`. */
  readonly isCut: boolean;
}

/** Resolves names as `dns.lookup` does. */
export type Resolve = typeof lookup;

/**
 * Sends requests to addresses that a profile names. It refuses addresses of this machine and link-local ones. A
 * name is checked by the address of the actual connection, so that it cannot change after the check. Redirects
 * are not followed.
 */
export class Outgoing {
  readonly #areLocalAllowed: boolean;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  /** @param resolve default: the system's resolver */
  constructor({ localTargets = false }: { readonly localTargets?: boolean }, resolve: Resolve = lookup) {
    this.#areLocalAllowed = localTargets;
    const options = { keepAlive: true, lookup: this.#judging(resolve) };
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
  }

  /** Whether requests to an IP address are allowed. */
  mayAsk(address: string): boolean {
    return this.#areLocalAllowed || !isOwnOrLinkAddress(address);
  }

  /**
   * Sends a request and reads the answer.
   * @param url of http or https
   * @throws ForbiddenAddress, LateAnswer, the error of `node:http` or `node:tls`
   */
  async exchange(url: string, { method, headers, body, timeoutMs, bytesMax }: Exchange): Promise<Exchanged> {
    const target = new URL(url);
    const host = target.hostname.replaceAll(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !this.mayAsk(host)) throw new ForbiddenAddress(host);
    const signal = AbortSignal.timeout(timeoutMs);
    const isPlain = target.protocol === "http:";
    const send = isPlain ? httpRequest : httpsRequest;
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const agent = isPlain ? this.#http : this.#https;
        send(target, { method, headers, agent, signal }, resolve).on("error", reject).end(body);
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
      throw signal.aborted ? new LateAnswer("did not answer in time") : error;
    }
  }

  #judging(resolve: Resolve): LookupFunction {
    return (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, []);
        const [first] = addresses;
        const isForbidden = addresses.some(({ address }) => !this.mayAsk(address));
        if (isForbidden || first === undefined) return callback(new ForbiddenAddress(hostname), []);
        if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    };
  }
}
