import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, partByPeers } from "./peers.ts";

const ordinary = "packages/adapters/modbus/src/map.test.ts";
const peer = "packages/adapters/modbus/src/line.peer.test.ts";

test("a suite whose programs are there runs", () => {
  const { files, leftOut } = partByPeers([ordinary, peer], () => true);
  assert.deepEqual(files, [ordinary, peer]);
  assert.deepEqual(leftOut, []);
});

test("a suite that lacks a program is left out, named, with the package that brings it", () => {
  const { files, leftOut } = partByPeers([ordinary, peer], ([program]) => program !== "socat");
  assert.deepEqual(files, [ordinary]);
  assert.deepEqual(leftOut, [{ files: [peer], debianPackages: ["socat"] }]);
  assert.match(describe(leftOut), /line\.peer\.test\.ts: needs socat\n.*apt-get install socat,/);
});

test("CI goes without a suite whose program Debian has in no version that will do", () => {
  const rules = "packages/serial/src/udev-rules.peer.test.ts";
  const { files, leftOut } = partByPeers([ordinary, rules], ([program]) => program !== "udevadm");
  assert.deepEqual(files, [ordinary]);
  assert.deepEqual(leftOut, [{ files: [rules], debianPackages: ["udev"], isOptional: true }]);
});

test("a suite that only root may run is left out, and says so", () => {
  const foreign = "packages/adapters/bacnet/src/foreign.peer.test.ts";
  const without = (...programs: readonly string[]) =>
    partByPeers([foreign], ([program]) => !programs.includes(program)).leftOut;
  assert.deepEqual(without("unshare"), [
    { files: [foreign], debianPackages: [], asRoot: true, isOptional: true },
  ]);
  assert.equal(
    describe(without("unshare", "tshark")),
    `left out:\n  ${foreign}: needs tshark, root, and leave to make network namespaces\n` +
      "to run them: apt-get install tshark, or as root npm test -- --install",
  );
});

const gate = "bench/gate/gate.peer.test.ts";

test("a suite of minutes waits for CI, and no package is asked for", () => {
  const { files, leftOut } = partByPeers([ordinary, gate], () => assert.fail("probed"), false);
  assert.deepEqual(files, [ordinary]);
  assert.deepEqual(leftOut, [{ files: [gate], debianPackages: [], waitsForCi: true }]);
  assert.equal(describe(leftOut), `left out:\n  ${gate}: minutes long, runs where CI is set`);
  assert.deepEqual(partByPeers([gate], () => true, true).files, [gate]);
});

test("nothing is probed for suites that are not asked for", () => {
  const { leftOut } = partByPeers([ordinary], () => assert.fail("probed"));
  assert.deepEqual(leftOut, []);
});

const recorded = "packages/mbus/src/recorded.test.ts";

test("a suite whose folder is absent is left out and named, in CI too", () => {
  const partWith = (isFolder: boolean) =>
    partByPeers(
      [recorded],
      () => true,
      true,
      () => isFolder,
    );
  assert.deepEqual(partWith(true).files, [recorded]);
  const { files, leftOut } = partWith(false);
  assert.deepEqual(files, []);
  assert.deepEqual(leftOut, [
    { files: [recorded], debianPackages: [], folder: "../shared/data/mbus", isOptional: true },
  ]);
  assert.equal(describe(leftOut), `left out:\n  ${recorded}: needs ../shared/data/mbus`);
});
