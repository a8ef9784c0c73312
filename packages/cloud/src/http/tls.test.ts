import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { followCertificate } from "@ledge/host/certificate";
import { socketConsole } from "@ledge/host/cli/client";
import { createLogger } from "@ledge/host/logger";
import { makeSelfSigned } from "@ledge/host/self-signed";
import { closeServer, createTlsServer, listen } from "@ledge/host/server";
import { dialTunnel } from "@ledge/link/tunnel";
import { temporaryFolder, until } from "@ledge/testkit";
import { readFiles, requirePair } from "./certificate.ts";
import { TestTunnel } from "../relay/test-relay.ts";
import { TestHub } from "../testdata/open-cloud.ts";
import { CloudProcess, spawned } from "../testdata/cloud-process.ts";

let folder: ReturnType<typeof temporaryFolder>;
let files: { key: string; certificate: string };
let cloud: CloudProcess | undefined;
beforeEach(() => {
  folder = temporaryFolder();
  files = { key: join(folder.path, "key.pem"), certificate: join(folder.path, "certificate.pem") };
});
afterEach(async () => {
  await cloud?.kill();
  cloud = undefined;
  folder.remove();
});

/** Puts a fresh key and certificate into the files. @returns the certificate */
function renew(days?: number): string {
  const now = Date.now();
  const validity =
    days === undefined ? undefined : ([new Date(0), new Date(now + days * 86_400_000)] as const);
  const { key, certificate } = makeSelfSigned("cloud.test", validity);
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.certificate, certificate);
  return certificate;
}

function configured(settings: object): string[] {
  const config = join(folder.path, "cloud.json");
  writeFileSync(config, JSON.stringify(settings));
  return ["--config", config];
}

const fingerprintOf = (certificate: string): string => new X509Certificate(certificate).fingerprint256;

async function get(url: string): Promise<{ response: IncomingMessage; fingerprint: string }> {
  const outgoing = request(url, { rejectUnauthorized: false, servername: "localhost", agent: false }).end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return { response, fingerprint: (response.socket as TLSSocket).getPeerCertificate().fingerprint256 };
}

async function shown(url: string, fingerprint: string): Promise<void> {
  while ((await get(url)).fingerprint !== fingerprint) await sleep(10);
}

test("speaks TLS 1.2 or newer and reloads its certificate on SIGHUP without closing tunnels", async () => {
  const first = renew();
  cloud = await CloudProcess.start(join(folder.path, "data"), ...configured({ tls: files }), "--log", "info");
  assert.match(cloud.address, /^https:/);
  setDefaultCACertificates([...getCACertificates(), first]);
  const url = cloud.address.replace("127.0.0.1", "localhost");
  const { response, fingerprint } = await get(`${url}/healthz`);
  assert.equal(fingerprint, fingerprintOf(first));
  assert.equal(response.headers["strict-transport-security"], "max-age=31536000");

  const { port } = new URL(url);
  const old = connect({ port: Number(port), host: "127.0.0.1", maxVersion: "TLSv1.1", minVersion: "TLSv1" });
  await assert.rejects(once(old, "secureConnect"));

  const hub = await TestHub.make();
  const at = new CloudProcess(cloud.child, cloud.folder, url, cloud.ended);
  const token = await at.connect(hub);
  const signal = AbortSignal.timeout(30_000);
  const duplex = await dialTunnel({ url, token, transport: "upgrade", signal });
  const tunnel = new TestTunnel(duplex, () => {});
  await tunnel.opened;

  writeFileSync(files.certificate, "no certificate");
  let said = "";
  cloud.child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  cloud.child.kill("SIGHUP");
  await until("it has looked", () => said.includes("the certificate cannot be read"));
  assert.equal((await get(`${url}/healthz`)).fingerprint, fingerprintOf(first), "keeps the old certificate");
  const second = renew();
  cloud.child.kill("SIGHUP");
  await shown(`${url}/healthz`, fingerprintOf(second));
  assert.ok(!duplex.destroyed, "the tunnel stays open");
  const { code, stderr } = await cloud.stop();
  assert.equal(code, 0, stderr);
  assert.match(stderr, /the certificate was reloaded/);
});

test("reports a certificate that expires soon or has expired in log, status and metrics", async () => {
  renew(3);
  const data = join(folder.path, "data");
  cloud = await CloudProcess.start(data, ...configured({ tls: files }), "--log", "warn");
  const status = async (): Promise<[number | null, string]> => {
    const { code, stdout } = await spawned("ledge-cloud", "status", "--data", data).ended;
    return [code, /certificate +(.*)/.exec(stdout)?.[1] ?? stdout];
  };
  const figure = async (): Promise<number> => {
    const { text } = await socketConsole(data).text("GET", "/metrics");
    return Number(/^ledge_certificate_expires_seconds (\S+)/m.exec(text)?.[1]);
  };
  const soon = await status();
  assert.deepEqual([soon[0], /^good until .*: renew it$/.test(soon[1])], [1, true], soon[1]);
  assert.ok((await figure()) < Date.now() / 1000 + 4 * 86_400);
  const renewed = async (days: number): Promise<[number | null, string]> => {
    const fingerprint = fingerprintOf(renew(days));
    cloud?.child.kill("SIGHUP");
    await shown(`${cloud?.address}/healthz`, fingerprint);
    return status();
  };
  const over = await renewed(-1);
  assert.deepEqual([over[0], /^expired on .*: renew it$/.test(over[1])], [1, true], over[1]);
  const good = await renewed(90);
  assert.deepEqual([good[0], /^good until [^ ]*$/.test(good[1])], [0, true], good[1]);
  assert.ok((await figure()) > Date.now() / 1000 + 80 * 86_400);
  const { stderr } = await cloud.stop();
  assert.match(stderr, /the certificate expires soon[^]*the certificate has expired/);
});

test("serves a changed certificate without a signal, unless its key does not match", async (t) => {
  const first = makeSelfSigned("cloud.test");
  const fetch = (): Response => Response.json(true);
  const server = createTlsServer(fetch, first.key, first.certificate);
  // Renewed after the server has read the files, before they are first looked at.
  const second = renew();
  const refusals: string[] = [];
  const write = (line: string): void => {
    if (line.includes("cannot be read")) refusals.push(line);
  };
  const counts = { looks: 0, checks: 0 };
  const { stop } = followCertificate(server, {
    present: first,
    read() {
      counts.looks += 1;
      return readFiles(files);
    },
    check(pair) {
      counts.checks += 1;
      requirePair(files, pair);
    },
    logger: createLogger("silent", { write }),
    checkMs: 5,
  });
  t.after(() => stop());
  const url = await listen(server, "127.0.0.1", 0);
  t.after(() => closeServer(server, 0));
  await shown(url, fingerprintOf(second));
  assert.notEqual(first.certificate, second);
  const { looks } = counts;
  while (counts.looks < looks + 5) await sleep(5);
  assert.equal(counts.checks, 1, "checks no pair that it uses");
  // The new key does not match the certificate: the server keeps the old pair.
  writeFileSync(files.key, makeSelfSigned("other").key, { mode: 0o600 });
  while (refusals.length === 0) await sleep(5);
  const refused = counts.looks;
  while (counts.looks < refused + 5) await sleep(5);
  assert.equal((await get(url)).fingerprint, fingerprintOf(second));
  assert.equal(refusals.length, 1, "says so once");
  const third = renew();
  await shown(url, fingerprintOf(third));
});

test("refuses to start with a TLS set-up that is unsafe or broken", async () => {
  renew();
  const started = async (settings: object, ...args: string[]): Promise<[number | null, string]> => {
    const at = ["--data", join(folder.path, "data"), "--port", "0", ...args];
    const { code, stderr } = await spawned("cloud", ...at, ...configured(settings)).ended;
    return [code, stderr];
  };
  const open = await started({}, "--host", "0.0.0.0");
  assert.deepEqual([open[0], /without TLS/.test(open[1])], [2, true], open[1]);
  const missing = await started({ tls: { ...files, key: join(folder.path, "none") } });
  assert.deepEqual([missing[0], /ENOENT/.test(missing[1])], [2, true], missing[1]);
  writeFileSync(files.key, makeSelfSigned("other").key);
  const other = await started({ tls: files });
  assert.deepEqual([other[0], /is not the key of/.test(other[1])], [2, true], other[1]);
  const { key } = makeSelfSigned("cloud.test");
  files = { ...files, key: join(folder.path, "open.pem") };
  writeFileSync(files.key, key, { mode: 0o644 });
  const readable = await started({ tls: files });
  assert.deepEqual([readable[0], /chmod 600/.test(readable[1])], [2, true], readable[1]);
});

test("refuses plain callers of its proxy, hubs too, and sets security headers on every answer", async () => {
  const proxied = configured({ trustedProxies: ["127.0.0.1"] });
  cloud = await CloudProcess.start(join(folder.path, "data"), ...proxied, "--host", "127.0.0.1");
  const { address } = cloud;
  const by = (proto: string, path = "/healthz"): Promise<Response> =>
    fetch(address + path, { headers: { "x-forwarded-proto": proto, "x-forwarded-for": "203.0.113.1" } });
  assert.equal((await by("http")).status, 403);
  for (const path of ["/healthz", "/nothing", "/relay/hub", "/ui/0.2/user/hubkeys", "/accept/x"]) {
    const { headers } = await by("https", path);
    assert.equal(headers.get("strict-transport-security"), "max-age=31536000", path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(headers.get("cache-control"), "no-store", path);
    assert.equal(headers.get("referrer-policy"), "no-referrer", path);
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none';/, path);
  }
  const dial = {
    url: address,
    token: "none",
    transport: "websocket",
    signal: AbortSignal.timeout(30_000),
  } as const;
  await assert.rejects(dialTunnel(dial), { status: 401 });
});
