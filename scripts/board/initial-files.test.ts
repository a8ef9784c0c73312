import assert from "node:assert/strict";
import { test } from "node:test";
import { cpio, withDependencies } from "./initial-files.ts";

/** Reads an archive as the kernel does (init/initramfs.c). @returns path -> mode and content */
function unpacked(archive: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (let at = 0; ;) {
    assert.equal(archive.toString("latin1", at, at + 6), "070701");
    const field = (index: number): number =>
      Number.parseInt(archive.toString("latin1", at + 6 + 8 * index, at + 14 + 8 * index), 16);
    const [mode, length, nameLength] = [field(1), field(6), field(11)];
    const path = archive.toString("utf8", at + 110, at + 110 + nameLength - 1);
    const data = (at + 110 + nameLength + 3) & ~3;
    if (path === "TRAILER!!!") return files;
    files.set(path, `${mode.toString(8)} ${archive.toString("utf8", data, data + length)}`);
    at = (data + length + 3) & ~3;
  }
}

test("an initial file system has its files behind the folders that they lie in", () => {
  const archive = cpio([
    { path: "lib/modules/6.12/disk.ko", mode: 0o100644, data: Buffer.from("drives") },
    { path: "init", mode: 0o100755, data: Buffer.from("#!/bin/sh\n") },
    { path: "bin/sh", mode: 0o120777, data: Buffer.from("busybox") },
    { path: "proc", mode: 0o040755, data: Buffer.alloc(0) },
  ]);
  assert.deepEqual(
    [...unpacked(archive)],
    [
      ["bin", "40755 "],
      ["bin/sh", "120777 busybox"],
      ["init", "100755 #!/bin/sh\n"],
      ["lib", "40755 "],
      ["lib/modules", "40755 "],
      ["lib/modules/6.12", "40755 "],
      ["lib/modules/6.12/disk.ko", "100644 drives"],
      ["proc", "40755 "],
    ],
  );
});

test("modules bring what they need", () => {
  const dependencies =
    "card.ko.xz: host.ko.xz bus.ko.xz\nhost.ko.xz: bus.ko.xz\nbus.ko.xz:\nsound.ko.xz: bus.ko.xz\n";
  const of = (...modules: string[]): readonly string[] => withDependencies(modules, dependencies);
  assert.deepEqual(of("card.ko.xz"), ["bus.ko.xz", "card.ko.xz", "host.ko.xz"]);
  assert.deepEqual(of("bus.ko.xz"), ["bus.ko.xz"]);
});
