import { once } from "node:events";
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** The result of a client's visit: its calls, the first failures, and how long each call took (ms). */
export interface Visit {
  readonly calls: number;
  readonly failures: readonly string[];
  readonly ms: readonly number[];
}

/** How long (ms) to wait for an answer. */
const patienceMs = 30_000;

/**
 * Calls a server repeatedly, one call after the other, as one client.
 * @param keepAlive uses one connection for all calls; otherwise each call opens its own
 * @param status the expected status of an answer
 */
export async function visit(
  url: string,
  calls: number,
  { keepAlive, headers = {}, status = 200 }: VisitOptions,
): Promise<Visit> {
  const isSecure = url.startsWith("https:");
  const options = { keepAlive, maxSockets: 1, rejectUnauthorized: false } as const;
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const send = isSecure ? httpsRequest : httpRequest;
  const [failures, ms]: [string[], number[]] = [[], []];
  for (let call = 0; call < calls; call++) {
    const began = performance.now();
    try {
      const outgoing = send(url, { agent, headers, timeout: patienceMs });
      outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer after ${patienceMs} ms`)));
      outgoing.end();
      const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
      incoming.resume();
      await once(incoming, "end");
      if (incoming.statusCode !== status) failures.push(`call ${call}: ${incoming.statusCode}`);
      ms.push(performance.now() - began);
    } catch (error) {
      failures.push(`call ${call}: ${(error as Error).message}`);
    }
  }
  agent.destroy();
  return { calls, failures, ms };
}

export interface VisitOptions {
  readonly keepAlive: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}
