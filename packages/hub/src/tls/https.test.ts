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
import { createLogger } from "@ledge/host/logger";
import { openTestKernel } from "@ledge/testkit";
import { Notes } from "../notes/notes.ts";
import { bareProfile, eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { CertificateAlarms } from "./certificate-alarms.ts";
import type { HttpsState } from "./https.ts";
import { Https } from "./https.ts";
import { makeSelfSigned } from "@ledge/host/self-signed";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly fingerprint: string;
}

/** Requests as a client that trusts this certificate, or any certificate without one. */
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

test("OpenSSL reads the hub's self-signed certificate and verifies its signature", () => {
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
  for (const year of [2049, 2050]) {
    const until = new Date(Date.UTC(year, 11, 31, 23, 59, 59));
    const { certificate } = makeSelfSigned("ledge.local", [new Date(0), until]);
    assert.deepEqual(new X509Certificate(certificate).validToDate, until);
  }
});

test("serves the API over TLS with a key that the hub keeps, and shows its fingerprint", async (t) => {
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

test("counts requests over HTTP and HTTPS together, and reads of a stranger apart", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const hub = await start(t, folder.path, "--profile", bareProfile(folder.path));
  const { address } = await stateOf(folder.path);
  // Each address alone would let this many pass.
  const each = limits.actsPerMinutePerAddress - 1;
  const row = "/cc/1.14/log";
  const plain = Array.from({ length: each }, async () => (await fetch(hub.address + row)).status);
  const encrypted = Array.from({ length: each }, async () => (await get(address + row)).status);
  assert.ok((await Promise.all([...plain, ...encrypted])).includes(429));
  // A newcomer's page and shell loop still pass.
  const read = async (path: string): Promise<number> => (await fetch(hub.address + path)).status;
  const kinds = ["/hub", "/healthz", "/", "/ui/main.js"];
  const statuses: number[] = [];
  while (!statuses.includes(429)) statuses.push(await read(kinds[statuses.length % kinds.length] ?? ""));
  assert.ok(statuses.length > limits.openReadsPerMinutePerAddress, `${statuses.length} reads`);
});

test("serves the certificate that the profile names in place of the hub's own", async (t) => {
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

test("an expiring certificate raises an alarm and a finding of doctor until it is renewed", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const named = { file: join(folder.path, "c.pem"), key: join(folder.path, "k.pem") };
  const profile = bareProfile(folder.path, { certificate: named });
  const data = join(folder.path, "data");
  const dayMs = 86_400_000;
  const open = async (hub: HubProcess): Promise<string[]> => {
    const headers = { authorization: await hub.key() };
    const alarms = (await (await fetch(`${hub.address}/cc/1.14/alarms`, { headers })).json()) as Record<
      string,
      { kind: string; level: string; closed: boolean; count: number }
    >;
    return Object.values(alarms).flatMap(({ kind, level, closed, count }) =>
      kind.startsWith("CERTIFICATE") && !closed ? [`${kind} ${level} ${count}`] : [],
    );
  };
  const word = async (): Promise<{ ok: boolean; detail: string } | undefined> => {
    const { stdout } = await ledge("doctor", "--json", "--data", data);
    const checks = JSON.parse(stdout) as { name: string; ok: boolean; detail: string }[];
    return checks.find(({ name }) => name === "certificate");
  };
  for (const [days, alarms, ok, detail] of [
    [3, ["CERTIFICATE_EXPIRING warn 1"], false, /^good until .*: renew it$/],
    [3, ["CERTIFICATE_EXPIRING warn 1"], false, /^good until .*: renew it$/],
    [-1, ["CERTIFICATE_EXPIRED err 1"], false, /^expired on .*: renew it$/],
    [90, [], true, /^good until [^ ]*$/],
  ] as const) {
    const until = new Date(Math.floor(Date.now() / dayMs) * dayMs + days * dayMs);
    const { key, certificate } = makeSelfSigned("hub.example.org", [new Date(0), until]);
    writeFileSync(named.file, certificate);
    writeFileSync(named.key, key);
    const hub = await start(t, data, "--profile", profile);
    await eventually("the alarms are right", async () =>
      (await open(hub)).join() === alarms.join() ? true : undefined,
    );
    const said = await word();
    assert.deepEqual([said?.ok, detail.test(said?.detail ?? "")], [ok, true], JSON.stringify(said));
    const { stdout } = await ledge("status", "--data", data);
    assert.equal(stdout.includes("renew it"), !ok, stdout);
    await hub.stop();
  }
});

test("shows a renewed certificate without a restart, and closes its alarm", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const named = { file: join(folder.path, "c.pem"), key: join(folder.path, "k.pem") };
  const renew = (days: number): string => {
    const validity = [new Date(clock.wall()), new Date(clock.wall() + days * 86_400_000)] as const;
    const { key, certificate } = makeSelfSigned("hub.example.org", validity);
    writeFileSync(named.key, key);
    writeFileSync(named.file, certificate);
    return new X509Certificate(certificate).fingerprint256;
  };
  const { kernel, clock, accept } = openTestKernel();
  const hubId = await accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  renew(4);
  const logger = createLogger("silent");
  const notes = new Notes(kernel, clock, logger);
  const https = new Https(clock);
  t.after(() => https.close());
  const host = { kernel, clock, notes, hubId };
  await https.start(() => Response.json(true), {
    folder: folder.path,
    profile: { certificate: named },
    host: "127.0.0.1",
    port: 0,
    name: "ledge.local",
    logger,
    checkMs: 20,
    renewed: () => alarms.look(),
  });
  const alarms = new CertificateAlarms(host, () => https.validity);
  t.after(() => alarms.stop());
  const open = (): string[] =>
    [...kernel.all("alarm")].flatMap(([, { kind, closed, count }]) => (closed ? [] : [`${kind} ${count}`]));
  assert.deepEqual([open(), https.state.expiry], [[], "good"]);
  await clock.pass(3 * 86_400_000);
  assert.deepEqual([open(), https.state.expiry], [["CERTIFICATE_EXPIRING 1"], "expiring"]);
  await clock.pass(86_400_000);
  assert.deepEqual([open(), https.state.expiry], [["CERTIFICATE_EXPIRED 1"], "expired"]);
  const fingerprint = renew(4);
  await eventually("the new one is shown", async () =>
    https.state.fingerprint === fingerprint && https.state.expiry === "good" ? true : undefined,
  );
  await clock.pass(1000);
  assert.deepEqual(open(), []);
  assert.equal((await get(https.state.address ?? "")).fingerprint, fingerprint);
  // A file without a certificate is not used: the former certificate stays.
  writeFileSync(named.file, "none");
  const last = renew(5);
  await eventually("the last one is shown", async () =>
    https.state.fingerprint === last ? true : undefined,
  );
});

test("a hub that cannot serve HTTPS serves HTTP and gives the reason", async (t) => {
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

test("refuses TLS below 1.2, and a hanging client does not delay the stop", async () => {
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

test("drops a client that does not finish the handshake", async (t) => {
  const { key, certificate } = makeSelfSigned("ledge.local");
  const bounds = { ...limits, headerTimeoutMs: 20 };
  const server = createTlsServer(() => new Response("here"), key, certificate, { bounds });
  const address = await listen(server, "127.0.0.1", 0);
  t.after(() => closeServer(server, 0));
  for (const said of ["", "\x16\x03\x01"]) {
    const silent = connect(Number(new URL(address).port), "127.0.0.1");
    silent.write(said);
    silent.resume();
    await once(silent, "close", { signal: AbortSignal.timeout(120_000) });
  }
});
