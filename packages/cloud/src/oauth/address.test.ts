// A cloud behind a proxy: people know it by its configured address, whatever a request says.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { Allowances } from "../http/allowances.ts";
import { Served } from "../http/test-served.ts";
import type { MadeClient } from "./clients.ts";
import { OAuth } from "./oauth.ts";
import { makeClient, startOf } from "./test-flow.ts";

const address = "https://cloud.example";
let served: Served;
let client: MadeClient;
const server = createServer((incoming, outgoing) => {
  const { cloud, clock } = served.test;
  const allowances = new Allowances();
  const mail = { placeForLogin: () => assert.fail(), login: () => assert.fail() };
  const logger = createLogger("silent");
  const oauth = new OAuth({ cloud, mail, allowances, clock, logger, address: () => address });
  void oauth.handle(incoming, outgoing, { address: "192.0.2.1" });
});
before(async () => {
  served = await Served.start({}, Date.now());
  client = await makeClient(served, "maker@a.example", ["openid"]);
  await once(server.listen(0, "127.0.0.1"), "listening");
});
after(async () => {
  server.close();
  await served.stop();
});

async function get(path: string): Promise<{ headers: IncomingHttpHeaders; text: string }> {
  const { port } = server.address() as AddressInfo;
  const headers = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "http",
    connection: "close",
  };
  const asked = request({ host: "127.0.0.1", port, path, headers }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { headers: response.headers, text };
}

test("both places of the metadata name the configured address, whatever host was called", async () => {
  for (const path of [
    "/oauth2/.well-known/openid-configuration",
    "/oauth2/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/oauth2",
  ]) {
    const { text } = await get(path);
    const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = JSON.parse(text) as Record<
      string,
      string
    >;
    assert.deepEqual(
      [issuer, authorization_endpoint, token_endpoint, jwks_uri],
      ["", "/auth", "/token", "/jwks"].map((end) => `${address}/oauth2${end}`),
      path,
    );
    assert.doesNotMatch(text, /evil/);
  }
});

test("cookies go over TLS only, to no script, and to no other path", async () => {
  const { search } = new URL(startOf(address, client.clientId, "openid"));
  const { headers } = await get(`/oauth2/auth${search}`);
  const cookies = headers["set-cookie"] ?? [];
  assert.ok(cookies.length >= 4);
  for (const cookie of cookies) assert.match(cookie, /path=\/oauth2\/.*; secure; httponly/i, cookie);
  assert.match(headers.location ?? "", /^(?:https:\/\/cloud\.example)?\/oauth2\/interaction\//);
});
