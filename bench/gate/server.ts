// A server to be counted, bundled into one file: `hub` is the API on Hono with its gates; `static` gives the
// answer of an idle poll by node:http alone, `bare` the same without most of its headers. It prints where it listens, and the owner's key.
//
//   node server.mjs hub|static|bare
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { createApi, rows } from "@ledge/api";
import { generateIssuerKey, keySetOf, RequestFigures, signHubKey } from "@ledge/link";
import { roles } from "@ledge/model";
import { openHome, report } from "../home.ts";
import { authenticationOf, portsOf } from "../hub-ports.ts";

const home = await openHome(1000);
const { kernel, clock } = home;
const hubId = await home.accept({ type: "CREATE_HUB", name: "Bench", timezone: "Europe/Helsinki" });
clock.advance(1);
await home.accept({ type: "CLAIM_HUB", id: hubId, userId: "owner", email: "owner@example.org" });
const claimed = kernel.timestamp;
clock.advance(1);
await home.submit(
  Array.from({ length: 10 }, (_, index) => report(index, 50)),
  { origin: "device" },
);
const issuerKey = await generateIssuerKey();
const claims = {
  hub_id: hubId,
  hub_name: "Bench",
  user_id: "owner",
  email: "owner@example.org",
  nickname: "owner",
  role: roles.OWNER_ADMIN,
  owner: true,
  auth_seq: 1,
};
const key = await signHubKey(claims, "bench", issuerKey, clock.wall());

const app = openApi();
const kind = process.argv[2];
const hub = kind === "hub" ? hubServer() : await staticServer(kind === "bare");
const marks = createServer((_request, response) => {
  process.geteuid?.();
  const { user, system } = process.cpuUsage();
  response.end(JSON.stringify({ cpuUs: user + system }));
});
const [port, markPort] = [await listen(hub), await listen(marks)];
// Earlier cursors get a full answer: the owner's rights began with the claim.
const cursors = [
  [0, kernel.timestamp],
  [10, claimed],
];
process.stdout.write(`${JSON.stringify({ port, markPort, key, cursors })}\n`);

function hubServer(): Server {
  return createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) }) as Server;
}

/** The answer of an idle poll, known beforehand; as text, which goes out in one piece. */
async function staticServer(isBare: boolean): Promise<Server> {
  const headers = { host: "127.0.0.1", authorization: key };
  const path = `http://127.0.0.1/cc/1.14/hub/poll?ts=${kernel.timestamp}`;
  const answer = await app.request(path, { headers });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(body);
  const named = isBare ? { "content-type": "application/json" } : Object.fromEntries(answer.headers);
  const head = { ...named, "content-length": Buffer.byteLength(body) };
  return createServer((_request, response) => {
    response.writeHead(200, head);
    response.end(body);
  });
}

function openApi(): ReturnType<typeof createApi> {
  const ports = portsOf(home, hubId);
  const auth = authenticationOf(ports, "bench", keySetOf([issuerKey]));
  return createApi({ rows, ports, listener: "local", auth, figures: new RequestFigures() });
}

async function listen(server: Server): Promise<number> {
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
