import { once } from "node:events";
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** How a client fared: its calls, the first of what went wrong, and how long each took (ms). */
export interface Visit {
  readonly calls: number;
  readonly failures: readonly string[];
  readonly ms: readonly number[];
}

/** So long (ms) and an answer counts as none. */
const patienceMs = 30_000;

/**
 * Calls a server again and again, one call after the other, as one client.
 * @param keepAlive by one connection; else each call has a connection of its own
 * @param status of an answer that counts as one
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
