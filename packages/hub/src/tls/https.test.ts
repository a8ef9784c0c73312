import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { TLSSocket } from "node:tls";
import { connect as connectTls } from "node:tls";
import { limits } from "@ledge/model";
import { closeServer, createTlsServer, listen } from "@ledge/host/server";
import { bareProfile, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import type { HttpsState } from "./https.ts";
import { makeSelfSigned } from "@ledge/host/self-signed";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly fingerprint: string;
}

/** A request as a client sends it that trusts a certificate, or any when it has none. */
async function get(url: string, certificate?: string, headers: Record<string, string> = {}): Promise<Answer> {
  const trust = certificate === undefined ? { rejectUnauthorized: false } : { ca: certificate };
  const outgoing = request(url, { ...trust, servername: "localhost", headers, agent: false }).end();
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const { fingerprint256 } = (incoming.socket as TLSSocket).getPeerCertificate();
  let text = "";
  for await (const chunk of incoming) text += String(chunk);
  return { status: incoming.statusCode ?? 0, text, fingerprint: fingerprint256 };
}

async function start(t: TestContext, folder: string, ...args: string[]): Promise<HubProcess> {
  const hub = await HubProcess.start(folder, ...args);
  t.after(() => hub.kill());
  return hub;
}

async function stateOf(folder: string): Promise<HttpsState> {
  const { stdout } = await ledge("status", "--json", "--data", folder);
  return (JSON.parse(stdout) as { https: HttpsState }).https;
}

test("a certificate of our own is one that OpenSSL can read, and signed by its key", () => {
  for (let n = 0; n < 20; n++) {
    const { key, certificate } = makeSelfSigned("ledge.local");
    const read = new X509Certificate(certificate);
    assert.equal(read.verify(read.publicKey), true);
    assert.equal(read.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
    assert.deepEqual([read.subject, read.issuer, read.ca], ["CN=ledge.local", "CN=ledge.local", false]);
    assert.equal(read.subjectAltName, "DNS:ledge.local, DNS:localhost");
    assert.deepEqual([read.validFromDate.getUTCFullYear(), read.validToDate.getUTCFullYear()], [2020, 9999]);
    assert.match(key, /^-----BEGIN PRIVATE KEY-----\n/);
    assert.notEqual(makeSelfSigned("ledge.local").certificate, certificate);
  }
});

test("the API is served encrypted too, by a key that a hub keeps and whose fingerprint it tells", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const hub = await start(t, folder.path, "--profile", bareProfile(folder.path));
  const { address, fingerprint } = await stateOf(folder.path);
  assert.ok(address?.startsWith("https://127.0.0.1:"));
  const file = join(folder.path, "https.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { certificate } = JSON.parse(readFileSync(file, "utf8")) as { certificate: string };
  const answer = await get(`${address}/hub`, certificate);
  assert.deepEqual([answer.status, answer.fingerprint], [200, fingerprint]);
  const key = await hub.key();
  assert.equal((await get(`${address}/cc/1.14/hub/tz`, certificate, { authorization: key })).status, 200);
  assert.equal((await get(`${address}/hub`, certificate, { host: "evil.example.org" })).status, 403);
  const { stdout } = await ledge("status", "--data", folder.path);
  assert.ok(stdout.includes(`https     ${address}, SHA-256 ${fingerprint}`), stdout);
  await hub.stop();
  await start(t, folder.path, "--profile", bareProfile(folder.path));
  assert.equal((await stateOf(folder.path)).fingerprint, fingerprint);
});

test("one count of requests for both ways in", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const hub = await start(t, folder.path, "--profile", bareProfile(folder.path));
  const { address } = await stateOf(folder.path);
  // Each way in alone would let as many pass.
  const each = limits.actsPerMinutePerAddress - 1;
  const row = "/cc/1.14/log";
  const plain = Array.from({ length: each }, async () => (await fetch(hub.address + row)).status);
  const encrypted = Array.from({ length: each }, async () => (await get(address + row)).status);
  assert.ok((await Promise.all([...plain, ...encrypted])).includes(429));
});

test("a certificate that the profile names is served in place of the hub's own", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const { key, certificate } = makeSelfSigned("hub.example.org");
  const named = { file: join(folder.path, "c.pem"), key: join(folder.path, "k.pem") };
  writeFileSync(named.file, certificate);
  writeFileSync(named.key, key);
  const data = join(folder.path, "data");
  await start(t, data, "--profile", bareProfile(folder.path, { certificate: named }));
  const { fingerprint } = await stateOf(data);
  assert.equal(fingerprint, new X509Certificate(certificate).fingerprint256);
});

test("a hub that cannot be served encrypted is served nevertheless, and says why", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  for (const [more, args, problem] of [
    [{ certificate: { file: "/nowhere/c.pem", key: "/nowhere/k.pem" } }, [], /ENOENT/],
    [{}, ["--https-port", String(port)], /EADDRINUSE/],
  ] as const) {
    const folder = temporaryFolder();
    t.after(() => folder.remove());
    const hub = await start(t, folder.path, "--profile", bareProfile(folder.path, more), ...args);
    assert.equal((await fetch(`${hub.address}/healthz`)).status, 200);
    const state = await stateOf(folder.path);
    assert.deepEqual([state.address, state.fingerprint], [null, null]);
    assert.match(state.problem ?? "", problem);
    assert.match((await ledge("status", "--data", folder.path)).stdout, /https +not served: /);
    assert.equal((await hub.stop()).code, 0);
  }
});

test("nothing older than TLS 1.2 is spoken, and no client that hangs holds up the end", async () => {
  const { key, certificate } = makeSelfSigned("ledge.local");
  const server = createTlsServer(() => new Response("here"), key, certificate);
  const address = await listen(server, "127.0.0.1", 0);
  const port = Number(new URL(address).port);
  assert.equal((await get(address, certificate)).text, "here");
  const ciphers = "DEFAULT@SECLEVEL=0";
  const connecting = (maxVersion: "TLSv1.1" | "TLSv1.2"): Promise<unknown> =>
    once(
      connectTls({
        port,
        host: "127.0.0.1",
        rejectUnauthorized: false,
        minVersion: "TLSv1",
        maxVersion,
        ciphers,
      }),
      "secureConnect",
    );
  await connecting("TLSv1.2");
  await assert.rejects(connecting("TLSv1.1"), /alert|version|protocol/i);
  const silent = connect(port, "127.0.0.1");
  silent.on("error", () => {});
  await once(server, "connection");
  await closeServer(server, 50);
  assert.equal(server.listening, false);
});

test("a client that does not shake hands is let go", async (t) => {
  const { key, certificate } = makeSelfSigned("ledge.local");
  const bounds = { ...limits, headerTimeoutMs: 20 };
  const server = createTlsServer(() => new Response("here"), key, certificate, bounds);
  const address = await listen(server, "127.0.0.1", 0);
  t.after(() => closeServer(server, 0));
  for (const said of ["", "\x16\x03\x01"]) {
    const silent = connect(Number(new URL(address).port), "127.0.0.1");
    silent.write(said);
    silent.resume();
    await once(silent, "close", { signal: AbortSignal.timeout(120_000) });
  }
});
