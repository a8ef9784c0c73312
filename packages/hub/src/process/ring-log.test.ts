import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import { createLogger } from "@ledge/host/logger";
import { bareProfile, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";
import { LogRing } from "./log-ring.ts";
import { readable } from "./readable.ts";
import { scrubbed } from "@ledge/host/scrub";
import { programFile } from "@ledge/testkit/programs";
import { RingLog } from "./ring-log.ts";

const everything = async (log: RingLog): Promise<string> => new Response(log.open()).text();
const numbered = (ring: LogRing, from: number, to: number): void => {
  for (let n = from; n < to; n++) ring.write(`line ${n}`);
};

describe("lines", () => {
  const canary = "c4n4ry-s3cr3t";
  for (const line of [
    `{"authorization":"${canary}"}`,
    `{"deep":{"er":[{"networkKey":"${canary}"}]}}`,
    `{"settings":{"password":"with \\" ${canary}"}}`,
    `{"msg":"sent {\\"token\\":\\"${canary}\\",\\"n\\":1}"}`,
    `{"msg":"X-Hub-Key: ${canary}"}`,
    `GET /x?password=${canary}&y=1`,
    `{"msg":"eyJhbGciOiJFZERTQSJ9.${canary}.${canary}"}`,
    `{"msg":"mail to ${canary}@example.org failed"}`,
    `{"msg":"mail to ${canary}@163.com failed"}`,
  ]) {
    test(`removes the secret from ${line.replaceAll(canary, "S")}`, () => {
      assert.equal(scrubbed(line).includes(canary), false, scrubbed(line));
      assert.equal(readable(line).includes(canary), false);
    });
  }

  test("keep text that is no secret, and JSON stays valid", () => {
    const line = `{"level":40,"time":"T","adapter":"sim","attempt":3,"monkey":1,"msg":"keys: none @ 5 o'clock"}`;
    assert.equal(scrubbed(line), line);
    assert.deepEqual(JSON.parse(scrubbed('{"a":1,"key":"x","b":"y"}')), { a: 1, key: "…", b: "y" });
    assert.equal(readable(line), `T warn keys: none @ 5 o'clock {"adapter":"sim","attempt":3,"monkey":1}\n`);
    assert.equal(readable("Killed\n"), "Killed\n");
  });

  test("are cut when too long, in time proportional to their length", () => {
    for (const text of [
      "a".repeat(200_000),
      '"'.repeat(200_000),
      "a@".repeat(100_000),
      '\\"key'.repeat(40_000),
    ]) {
      assert.equal(readable(text).length <= limits.logLineChars + 2, true);
    }
  });
});

describe("the ring", () => {
  test("keeps the newest lines up to its size, and counts the lines that a reader missed", () => {
    const ring = new LogRing(70);
    numbered(ring, 0, 10);
    assert.deepEqual(ring.read(0), {
      text: Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join(""),
      next: 10,
    });
    ring.write("é");
    assert.equal(ring.begin, 1);
    assert.match(ring.read(0).text, /^\(1 lines were too old to be kept\)\nline 1\n/);
    ring.write("x".repeat(100));
    assert.deepEqual(ring.read(11), { text: `${"x".repeat(100)}\n`, next: 12 });
  });

  test("receives lines of the logger from info on, whatever the logger's level", async () => {
    const ring = new LogRing();
    const logger = createLogger("silent", ring);
    logger.debug("unheard");
    logger.child({ adapter: "sim" }).info({ token: "c4n4ry" }, "started");
    const text = await everything(new RingLog(ring));
    assert.match(text, /^\S+Z info started \{"adapter":"sim","token":"…"\}\n$/);
  });
});

describe("reading", () => {
  test("ends with the lines from before it began, those of former runs first", async () => {
    const ring = new LogRing();
    numbered(ring, 0, 5000);
    async function* former(): AsyncGenerator<string, void> {
      yield "before\n";
    }
    const stream = new RingLog(ring, former).open();
    numbered(ring, 5000, 6000);
    const lines = (await new Response(stream).text()).trim().split("\n");
    assert.deepEqual(
      [lines.length, lines[0], lines[1], lines.at(-1)],
      [5001, "before", "line 0", "line 4999"],
    );
  });

  test("a slow reader delays nobody and learns how many lines it missed", async () => {
    const ring = new LogRing(70);
    numbered(ring, 0, 10);
    const reader = (new RingLog(ring).open() as ReadableStream<Uint8Array>).getReader();
    numbered(ring, 10, 12);
    const { value } = await reader.read();
    assert.match(Buffer.from(value ?? []).toString(), /^\(\d+ lines were too old to be kept\)\n/);
    await reader.cancel();
  });

  test(`allows ${limits.logReaders} readers at a time, and frees a place once when one ends or leaves`, async () => {
    const ring = new LogRing();
    numbered(ring, 0, 3);
    const log = new RingLog(ring);
    const streams = Array.from({ length: limits.logReaders }, () => log.open());
    assert.equal(log.open(), undefined);
    await streams[0]?.cancel();
    await new Response(streams[1]).text();
    streams.push(log.open(), log.open());
    assert.ok(streams.every((stream) => stream !== undefined));
    assert.equal(log.open(), undefined);
  });
});

describe("GET /log of a hub", () => {
  const main = programFile("hub");

  test("answers text to anybody when LOG_SERVICE is on, and 403 when it is off", async () => {
    const folder = temporaryFolder();
    const profile = bareProfile(folder.path, { features: ["LOG_SERVICE"] });
    const hub = await HubProcess.start(folder.path, "--profile", profile);
    const response = await fetch(`${hub.address}/cc/1.14/log`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.match(await response.text(), /Z info the hub serves \{"release":"/);
    await hub.stop();
    const closed = await HubProcess.start(folder.path, "--profile", bareProfile(folder.path));
    assert.equal((await fetch(`${closed.address}/cc/1.14/log`)).status, 403);
    await closed.stop();
    folder.remove();
  });

  test("begins with the journal's lines of former runs when systemd runs the hub", async () => {
    const folder = temporaryFolder();
    const bin = temporaryFolder();
    const program = `#!/bin/sh\necho "$@" > ${join(bin.path, "asked")}\necho '{"level":60,"time":"T","msg":"the hub must end"}'\nexec yes c4n4ry@example.org\n`;
    writeFileSync(join(bin.path, "journalctl"), program, { mode: 0o755 });
    const profile = bareProfile(folder.path, { features: ["LOG_SERVICE"] });
    const env = { PATH: `${bin.path}:${process.env["PATH"]}` };
    const args = ["--port", "0", "--profile", profile, "--supervised", "systemd"];
    const hub = await HubProcess.startWith(env, main, folder.path, ...args);
    const reader = (await fetch(`${hub.address}/cc/1.14/log`)).body?.getReader();
    const said: Uint8Array[] = [];
    const text = (): string => Buffer.concat(said).toString();
    // A piece ends where the program was when it was read.
    while (text().split("\n").length <= 3) said.push((await reader?.read())?.value ?? assert.fail(text()));
    assert.match(text(), /^T fatal the hub must end\n(…@…\n)+/);
    await reader?.cancel();
    assert.equal((await hub.stop()).code, 0);
    folder.remove();
    bin.remove();
  });
});
