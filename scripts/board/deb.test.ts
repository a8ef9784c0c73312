import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { buildDeb } from "./deb.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "ledge-deb-"));
const installed = join(folder, "installed");
const architecture = process.arch === "x64" ? "amd64" : "arm64";
const profile = join(
  root,
  "firmware-profiles",
  architecture === "amd64" ? "generic-x86-64.json" : "generic-arm64.json",
);
let file = "";

before(async () => {
  // Packing well takes a minute and a half of one core, and shows nothing here.
  file = await buildDeb(profile, folder, join(folder, "work"), "none");
  execFileSync("dpkg-deb", ["--raw-extract", file, installed]);
});
after(() => rmSync(folder, { recursive: true }));

const about = (field: string): string => execFileSync("dpkg-deb", ["--field", file, field]).toString().trim();

test("the package says what it is, what it needs and how large it is", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  assert.deepEqual(
    [about("Package"), about("Version"), about("Architecture")],
    ["ledge", version, architecture],
  );
  assert.match(about("Depends"), /libc6 .*systemd /);
  assert.ok(Number(about("Installed-Size")) > 150_000);
});

test("has native code for this architecture and C library alone", () => {
  const native = globSync("**/*.node", { cwd: installed });
  assert.ok(native.length >= 4, native.join("\n"));
  const machine = { amd64: 0x3e, arm64: 0xb7 }[architecture];
  for (const path of native)
    assert.equal(readFileSync(join(installed, path)).readUInt16LE(18), machine, path);
  assert.deepEqual(
    native.filter((path) => path.includes("musl")),
    [],
  );
});

test("every file is listed with its sum, belongs to root, and none is hidden", () => {
  const sums = readFileSync(join(installed, "DEBIAN", "md5sums"), "utf8")
    .trim()
    .split("\n");
  const listed = execFileSync("dpkg-deb", ["--contents", file], { maxBuffer: 16_777_216 })
    .toString()
    .trim()
    .split("\n");
  assert.equal(listed.filter((line) => line.startsWith("-")).length, sums.length);
  assert.deepEqual(
    listed.filter((line) => !line.includes(" root/root ")),
    [],
  );
  assert.deepEqual(
    listed.filter((line) => /\/\.[a-z]/.test(line)),
    [],
  );
  assert.equal(spawnSync("md5sum", ["--quiet", "-c", "DEBIAN/md5sums"], { cwd: installed }).status, 0);
});

test("the scripts are sound, and the service runs the Node of the package", () => {
  for (const name of ["postinst", "prerm", "postrm"])
    assert.equal(spawnSync("sh", ["-n", join(installed, "DEBIAN", name)]).status, 0, name);
  const unit = readFileSync(join(installed, "usr/lib/systemd/system/ledge.service"), "utf8");
  const [, node = "", hub = ""] = /^ExecStart=(\S+) (\S+)/m.exec(unit) ?? [];
  for (const path of [node, hub]) assert.ok(existsSync(join(installed, path)), path);
  assert.equal(statSync(join(installed, node)).mode & 0o777, 0o755);
  for (const [, path = ""] of unit.matchAll(/^Documentation=file:\/\/(\S+)$/gm))
    assert.ok(existsSync(join(installed, path)), path);
});

test("the hub of the package serves with the board's profile and no radio", async (t) => {
  const at = (path: string): string => join(installed, path);
  const data = join(folder, "data");
  const args = [at("opt/ledge/lib/hub.mjs"), "--profile", at("etc/ledge/profile.json"), "--data", data];
  const flags = ["--host", "127.0.0.1", "--port", "0", "--no-mdns"];
  const child = spawn(at("opt/ledge/bin/node"), [...args, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(async () => {
    const ended = once(child, "close");
    child.kill();
    await ended;
  });
  let printed = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    if (/API +http:\S+\n/.test(printed)) break;
  }
  const [, address = ""] = /API +(http:\S+)\n/.exec(printed) ?? [];
  const meta = (await (await fetch(`${address}/hub`)).json()) as { state: string };
  assert.equal(meta.state, "factory_new");
});

test("the release comes with lists of its parts that are valid and name what is in it", async () => {
  const list = (kind: string): string =>
    readFileSync(join(installed, "opt/ledge", `sbom.${kind}.json`), "utf8");
  const problems = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(list("cdx"));
  assert.equal(problems, null, JSON.stringify(problems));
  const { components } = JSON.parse(list("cdx")) as { components: { name: string; purl: string }[] };
  // Beside the bundles, in a bundle, and in the web interface.
  for (const name of ["lmdb", "hono", "zwave-js", "preact", "@dagrejs/dagre"])
    assert.ok(
      components.some((component) => component.name === name),
      name,
    );
  const { packages, relationships } = JSON.parse(list("spdx")) as {
    packages: { SPDXID: string; licenseDeclared: string }[];
    relationships: { relatedSpdxElement: string }[];
  };
  const ids = packages.map(({ SPDXID }) => SPDXID);
  assert.equal(new Set(ids).size, components.length + 1);
  assert.deepEqual(
    relationships.map(({ relatedSpdxElement }) => relatedSpdxElement).toSorted(),
    ids.toSorted(),
  );
  for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
});

test("is refused for a profile that is for no machine", async () => {
  const sim = join(root, "firmware-profiles", "sim.json");
  await assert.rejects(buildDeb(sim, folder, join(folder, "none"), "none"), /is for no machine/);
});
