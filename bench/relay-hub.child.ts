// A hub as far as its API goes: served on a port, and through a tunnel to a cloud. Sends where, once it is reached
// both ways. Beside the API it gives and takes large bodies below /cc/1.14/bulk.
//
//   node relay-hub.child.ts URL BYTES
import { createApi, rows } from "@ledge/api";
import { createServer, type Fetch, listen } from "@ledge/host/server";
import { Dialler } from "@ledge/hub/cloud/dialler";
import { clientAddress } from "@ledge/hub/cloud/tunnel-server";
import { systemClock } from "@ledge/kernel";
import { RequestFigures } from "@ledge/link";
import { openHome } from "./home.ts";
import { authenticationOf, portsOf } from "./hub-ports.ts";
import { openSession, ownersEmail, post } from "./relay/sessions.ts";

/** Where a hub is, and what an idle poll of it names as its cursor. */
export interface RelayHub {
  readonly address: string;
  readonly cursor: number;
}

const [url = "", bytes = "0"] = process.argv.slice(2);
const body = new Uint8Array(Number(bytes));

await run();

async function run(): Promise<void> {
  const home = await openHome(1000);
  const created = { type: "CREATE_HUB", name: "Bench", timezone: "Europe/Helsinki" };
  const hubId = await home.accept(created);
  const session = await openSession(url, hubId, "192.0.2.1");
  const { token } = session;
  const claimed = (await post(url, "/hub/claim", { email: ownersEmail }, { token })) as { userId: string };
  home.clock.advance(1);
  await home.accept({ type: "CLAIM_HUB", id: hubId, userId: claimed.userId, email: ownersEmail });
  const ports = portsOf(home, hubId);
  const keys = new Map(session.jwks.keys.map((key) => [key.kid, key]));
  const auth = authenticationOf(ports, session.issuer, keys);
  const figures = new RequestFigures();
  const api = (listener: "local" | "remote"): Fetch => {
    const app = createApi({
      rows,
      ports,
      listener,
      ...(listener === "remote" && { addressOf: clientAddress }),
      auth,
      figures,
      perAddress: { open: 1e9, key: 1e9, act: 1e9 },
    });
    return (request, env) => (request.url.includes("/bulk") ? bulk(request) : app.fetch(request, env));
  };
  const address = await listen(createServer(api("local")), "127.0.0.1", 0);
  new Dialler({
    url,
    token: () => Promise.resolve(token),
    fetch: api("remote"),
    announced: () => {},
    changed: () => process.send?.({ address, cursor: home.kernel.timestamp } satisfies RelayHub),
    clock: systemClock,
    random: Math.random,
    logger: { info: () => {}, warn: (fields) => process.stderr.write(`${JSON.stringify(fields)}\n`) },
  }).start();
}

async function bulk(request: Request): Promise<Response> {
  if (request.method === "GET") return new Response(body);
  let length = 0;
  for await (const chunk of request.body ?? []) length += (chunk as Uint8Array).length;
  return Response.json(length);
}
