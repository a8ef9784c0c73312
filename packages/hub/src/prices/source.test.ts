import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { limits } from "@ledge/model";
import { Outgoing } from "@ledge/link/outgoing";
import { profileGuard } from "../network/profile-guard.ts";
import { FilePrices, priceSource, WebPrices } from "./source.ts";

const folder = mkdtempSync(join(tmpdir(), "ledge-prices-"));
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => answer(request, response));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const outgoing = new Outgoing(profileGuard({ localTargets: true }));
const problem = (message: RegExp) => ({ name: "PriceProblem", message });

describe("a file", () => {
  const file = join(folder, "prices.json");

  test("returns its content when it has changed", async () => {
    const source = new FilePrices(file);
    await assert.rejects(source.read(), problem(/ENOENT/));
    writeFileSync(file, "[1]");
    assert.deepEqual(await source.read(), [1]);
    assert.equal(await source.read(), undefined);
    writeFileSync(file, "[1, 2]");
    assert.deepEqual(await source.read(), [1, 2]);
    source.forget();
    assert.deepEqual(await source.read(), [1, 2]);
  });

  test("reports once that it holds no JSON or too much", async () => {
    const source = new FilePrices(file);
    writeFileSync(file, "{");
    await assert.rejects(source.read(), problem(/holds no JSON/));
    assert.equal(await source.read(), undefined);
    writeFileSync(file, `"${"x".repeat(limits.priceBytes - 1)}"`);
    await assert.rejects(source.read(), problem(/too large/));
    writeFileSync(file, `"${"x".repeat(limits.priceBytes - 2)}"`);
    assert.equal(((await source.read()) as string).length, limits.priceBytes - 2);
  });
});

describe("an address", () => {
  test("is asked only for changes", async () => {
    const source = new WebPrices(url, outgoing);
    const tags: unknown[] = [];
    answer = (request, response) => {
      tags.push(request.headers["if-none-match"]);
      if (request.headers["if-none-match"] === '"a"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"a"' }).end("[1]");
    };
    assert.deepEqual(await source.read(), [1]);
    assert.equal(await source.read(), undefined);
    source.forget();
    assert.deepEqual(await source.read(), [1]);
    assert.deepEqual(tags, [undefined, '"a"', undefined]);
  });

  for (const [what, act, message] of [
    ["an error", (response: ServerResponse) => response.writeHead(500).end("[1]"), /answered 500/],
    ["a redirect", (response: ServerResponse) => response.writeHead(302, { location: "/x" }).end(), /302/],
    ["no JSON", (response: ServerResponse) => response.end("<html>"), /holds no JSON/],
    ["too much", (response: ServerResponse) => response.end("x".repeat(limits.priceBytes + 1)), /too much/],
    ["nothing", () => undefined, /did not answer in time/],
    ["a cut connection", (response: ServerResponse) => response.destroy(), /could not be reached/],
  ] as const) {
    test(`that answers ${what} gives a problem with its reason`, async () => {
      answer = (_, response) => void act(response);
      const source = new WebPrices(url, outgoing, what === "nothing" ? 50 : undefined);
      await assert.rejects(source.read(), problem(message));
    });
  }
});

test("a source is a web address or a file in the data folder", async () => {
  writeFileSync(join(folder, "own.json"), "7");
  assert.equal(await priceSource("own.json", folder, outgoing).read(), 7);
  assert.equal(await priceSource(join(folder, "own.json"), "/", outgoing).read(), 7);
  assert.equal(priceSource("own.json", folder, outgoing).isNear, true);
  assert.equal(priceSource(url, folder, outgoing).isNear, false);
});

test("refuses a source on this machine unless the profile allows it", async () => {
  answer = () => assert.fail("it was asked");
  await assert.rejects(
    new WebPrices(url, new Outgoing(profileGuard({}))).read(),
    problem(/is not asked: .*localTargets/),
  );
});
