import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test, type TestContext } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { socketPath } from "../lock.ts";
import { type Console, socketConsole } from "./client.ts";

/** A process that answers with these statuses, one after the other. */
async function answering(
  t: TestContext,
  retryAfter: string,
  statuses: readonly number[],
): Promise<{ readonly console: Console; readonly asked: string[] }> {
  const folder = temporaryFolder();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const status = statuses[asked.push(`${request.method} ${request.url}`) - 1];
    response.writeHead(status ?? 500, { "retry-after": retryAfter }).end("true");
  }).listen(socketPath(folder.path));
  await once(server, "listening");
  t.after(() => {
    server.close();
    folder.remove();
  });
  return { console: socketConsole(folder.path), asked };
}

test("asks a process again that is too busy now", async (t) => {
  const { console, asked } = await answering(t, "0", [503, 503, 200]);
  assert.deepEqual(await console.call("GET", "/why"), { status: 200, json: true });
  assert.deepEqual(asked, ["GET /why", "GET /why", "GET /why"]);
});

test("takes a refusal for an answer, and one that lasts longer", async (t) => {
  for (const [status, retryAfter] of [
    [429, "0"],
    [503, "60"],
  ] as const) {
    const { console, asked } = await answering(t, retryAfter, [status]);
    assert.equal((await console.call("GET", "/why")).status, status);
    assert.equal(asked.length, 1);
  }
});
