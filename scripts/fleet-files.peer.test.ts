// Checks the files of a cloud of three processes with the programs that read them.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CloudProcess } from "@ledge/cloud/process";
import { temporaryFolder, until } from "@ledge/testkit";
import { freePort } from "@ledge/testkit/free-port";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const folder = temporaryFolder();
const place = join(folder.path, "fleet");
const certificate = join(folder.path, "certificate.pem");
const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };

before(() => {
  cpSync(join(root, "packages/cloud/src/operations/fleet"), place, { recursive: true });
  const key = join(folder.path, "key.pem");
  const made = ["-subj", "/CN=localhost", "-days", "2", "-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...made], { stdio: "pipe" });
  writeFileSync(certificate, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
});
after(() => folder.remove());

interface Service {
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

/** Returns what Docker Compose makes of a file, or why it refuses it. */
function composed(text: string): { readonly code: number | null; readonly said: string } {
  writeFileSync(join(place, "compose.yaml"), text);
  const args = ["-f", "compose.yaml", "config"];
  const { status, stdout, stderr } = spawnSync("docker-compose", args, {
    cwd: place,
    encoding: "utf8",
    env: { ...env, LEDGE_DATABASE_PASSWORD: "a password" },
  });
  return { code: status, said: `${stdout}${stderr}` };
}

test("Docker Compose accepts the fleet, and complains about a faulty one", () => {
  // The program of Debian 12 takes the name of a project from its folder alone.
  const text = readFileSync(join(place, "compose.yaml"), "utf8").replace(/^name: .*$/m, "");
  const { code, said } = composed(text);
  assert.equal(code, 0, said);
  assert.notEqual(composed(text.replace("read_only:", "read_onyl:")).code, 0);
  const { services } = parse(said) as { services: Readonly<Record<string, Service>> };
  const nodes = Object.entries(services).filter(([name]) => name.startsWith("node"));
  assert.equal(nodes.length, 3);
  const proxied = Object.entries(services["proxy"]?.environment ?? {}).filter(([name]) =>
    name.startsWith("NODE"),
  );
  assert.deepEqual(
    proxied.map(([, address]) => address),
    nodes.map(([name]) => `${name}:8894`),
  );
  assert.deepEqual(
    nodes.map(([, { command = [] }]) => command),
    nodes.map(([name]) => [`${name}:8895`]),
  );
  const folders = nodes.map(([, { volumes = [] }]) =>
    volumes.find((each) => each.endsWith("ledge-cloud:rw")),
  );
  assert.equal(new Set(folders).size, 3, "each process has a folder of its own");
});

test("the processes of the fleet understand their options and their configuration", () => {
  const text = readFileSync(join(root, "packages/cloud/src/operations/fleet/compose.yaml"), "utf8");
  const options = (parse(text) as { "x-node": Service })["x-node"].entrypoint?.slice(2) ?? [];
  // Only the names of the machines are not there.
  const args = options.map((word) =>
    word === "/etc/ledge-cloud/cloud.json" ? join(place, "cloud.json") : word,
  );
  const data = args.indexOf("/var/lib/ledge-cloud");
  const here = args.with(data, join(folder.path, "data"));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, "packages/cloud/src/main.ts"), ...here, "127.0.0.1:0", "--port", "0"],
    { encoding: "utf8" },
  );
  assert.notEqual(status, 2, stderr);
  assert.match(stderr, /the database failed: getaddrinfo/);
});

const nodes = { NODE1: "127.0.0.1:1", NODE2: "127.0.0.1:2", NODE3: "127.0.0.1:3" };

test("HAProxy accepts its configuration, and complains about a faulty one", () => {
  const file = join(place, "haproxy.cfg");
  const text = readFileSync(file, "utf8");
  const checked = (config: string): number | null => {
    writeFileSync(file, config);
    const rest = { CERTIFICATE: certificate, NAME_SERVER: "127.0.0.1:53", ...nodes };
    return spawnSync("haproxy", ["-c", "-f", file], { env: { ...env, ...rest } }).status;
  };
  assert.notEqual(checked(text.replace("balance leastconn", "balance leastcon")), 0);
  assert.equal(checked(text), 0);
});

test("the proxy passes requests to the process that serves, and tells it who asks over TLS", async () => {
  const config = join(folder.path, "cloud.json");
  writeFileSync(config, JSON.stringify({ trustedProxies: ["127.0.0.1"] }));
  const cloud = await CloudProcess.start(join(folder.path, "serving"), "--config", config);
  const port = await freePort();
  const file = join(place, "here.cfg");
  writeFileSync(file, readFileSync(join(place, "haproxy.cfg"), "utf8").replace(":443", `127.0.0.1:${port}`));
  const rest = { ...nodes, NODE2: new URL(cloud.address).host };
  const proxy = spawn("haproxy", ["-db", "-f", file], {
    env: { ...env, CERTIFICATE: certificate, NAME_SERVER: "127.0.0.1:53", ...rest },
    stdio: "ignore",
  });
  try {
    const headers = await until("the proxy", async () => {
      assert.equal(proxy.exitCode, null, "the proxy has ended");
      return health(port);
    });
    assert.match(String(headers["strict-transport-security"]), /max-age/, "the cloud knows of TLS");
  } finally {
    const ended = once(proxy, "exit");
    proxy.kill("SIGKILL");
    await Promise.all([ended, cloud.kill()]);
  }
});

/** Returns the headers of `/healthz` when it answers 200. */
function health(port: number): Promise<Readonly<Record<string, unknown>> | undefined> {
  return new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", port, path: "/healthz", rejectUnauthorized: false });
    asked.on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? answer.headers : undefined);
    });
    asked.on("error", () => resolve(undefined));
    asked.end();
  });
}
