import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { imageConfig } from "./oci.ts";

const root = join(import.meta.dirname, "..", "..");
const addon = (name: string): string => readFileSync(join(root, "addon", "ledge", name), "utf8");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

/** Fields of https://developers.home-assistant.io/docs/add-ons/configuration that the add-on uses. */
const known =
  "name version slug description arch startup boot init host_network uart usb webui ports ports_description watchdog timeout backup options schema";

test("the add-on has the fields that Home Assistant needs, and the version of the release", () => {
  const config = addon("config.yaml");
  assert.doesNotMatch(config, /\t/);
  assert.deepEqual(
    [...config.matchAll(/^(\w+):/gm)].map(([, key]) => key),
    known.split(" "),
  );
  assert.match(config, new RegExp(`^version: ${version.replaceAll(".", "\\.")}$`, "m"));
  for (const text of [addon("Dockerfile"), addon("DOCS.md")])
    for (const [, named] of text.matchAll(/ledge:(\d+\.\d+\.\d+)/g)) assert.equal(named, version);
});

test("it serves the ports of the image, and starts the hub as the image does but for its data", () => {
  const { ExposedPorts, Entrypoint } = imageConfig(version);
  const ports = [...addon("config.yaml").matchAll(/^ {2}(\d+\/tcp): \d+$/gm)].map(([, port]) => port);
  assert.deepEqual(ports, Object.keys(ExposedPorts));
  const [, entry = "[]"] = /^ENTRYPOINT (\[.*\])$/m.exec(addon("Dockerfile")) ?? [];
  assert.deepEqual(JSON.parse(entry), [...Entrypoint.slice(0, -1), "/data/ledge"]);
});
