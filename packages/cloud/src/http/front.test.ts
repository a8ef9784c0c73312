import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { closeServer, createServer, listen, onUpgrade } from "@ledge/host/server";
import { RequestFigures } from "@ledge/link";
import { connectionPath } from "../push/connections.ts";
import { openRelay } from "../relay/open-relay.ts";
import { TestCloud } from "../testdata/open-cloud.ts";
import { emptyApp } from "./mount.ts";
import { createFront } from "./front.ts";

const test_ = await TestCloud.open();
const logger = createLogger("silent");
const front = createFront({
  app: emptyApp({ logger }),
  relay: openRelay(test_.cloud, test_.clock, assert.fail),
  connections: {
    handle: () => false,
    upgrade(_request, socket) {
      socket.end("HTTP/1.1 299 Own\r\n\r\n");
      return true;
    },
  },
  oauth: { handle: async () => {} },
  requests: new RequestFigures(),
  metrics: { token: undefined, render: () => "" },
  logger,
});
const server = createServer((asked, env) => front.fetch(asked, env));
onUpgrade(server, (...asked) => front.upgrade(...asked));
let base: string;
before(async () => {
  base = await listen(server, "127.0.0.1", 0);
});
after(async () => {
  await closeServer(server, 0);
  await test_.remove();
});

async function upgrade(path: string): Promise<number | undefined> {
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  const asked = request(base + path, { headers, agent: false });
  asked.end();
  const [response] = (await once(asked, "response")) as [{ statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

test("passes an upgrade to whoever serves its path, with or without a query", async () => {
  assert.equal(await upgrade(connectionPath), 299);
  assert.equal(await upgrade(`${connectionPath}?id=1`), 299);
  assert.equal(await upgrade("/hub/tunnel"), 401);
});

test("refuses an upgrade on any other path", async () => {
  for (const path of ["/", `${connectionPath}x`, "/HUB/v1", "/hub", "/__proto__", "/constructor"])
    assert.equal(await upgrade(path), 404, path);
});
