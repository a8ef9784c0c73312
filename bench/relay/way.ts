import { once } from "node:events";
import { type Agent, type IncomingMessage, request } from "node:http";

/** One way to a hub: where, and with which credentials. */
export interface Way {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Asks for a path, with POST if there is a body. @throws Error unless the answer is 200 */
export async function ask({ base, headers }: Way, path: string, agent: Agent, body?: Buffer): Promise<void> {
  const sent = request(base + path, { method: body === undefined ? "GET" : "POST", headers, agent });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${base}${path}: ${response.statusCode}`);
  response.resume();
  await once(response, "end");
}
