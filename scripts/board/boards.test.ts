import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { readProfile } from "@ledge/hub/profile";
import { bootFiles } from "./boot-files.ts";
import { bootScript } from "./boot-script.ts";
import { bootRecord } from "./partition-table.ts";
import { hubId, withHub } from "./hub-user.ts";
import { imageConfig } from "./oci.ts";
import { rpiImageGen } from "./rpi-image-gen.ts";
import { profileSchema, schemaFile } from "../profile-schema.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "firmware-profiles");
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
const boards = files
  .map((name) => readProfile(join(folder, name)))
  .flatMap(({ name, board }) => (board === undefined ? [] : [{ name, board }]));

test("editors have the schema as it is: else run scripts/profile-schema.ts", () => {
  assert.deepEqual(JSON.parse(readFileSync(schemaFile, "utf8")), JSON.parse(profileSchema()));
  for (const name of files) {
    const { $schema } = JSON.parse(readFileSync(join(folder, name), "utf8")) as { $schema?: string };
    assert.equal($schema, "./schema/profile.json", name);
  }
});

test("the page lists every board with its machines and its memory", () => {
  // The page begins with the table of boards; other tables stand below headings.
  const [intro = ""] = readFileSync(join(root, "docs", "boards.md"), "utf8").split("\n## ");
  const rows = intro
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name]) => name?.startsWith("`"));
  assert.deepEqual(
    rows.map(([, name, machines, , memory]) => [name, machines?.replaceAll("`", ""), memory]),
    rows.map(([, name]) => {
      const { board } =
        boards.find((one) => `\`${one.name}\`` === name) ?? assert.fail(`${name} is no board`);
      return [name, board.machines.map((one) => one.name).join(", "), `${board.memory.machineMebibytes} MiB`];
    }),
  );
  assert.equal(rows.length, boards.length);
});

test("U-Boot's script is an image with the sums that U-Boot checks, and repairs /var at boot", () => {
  const text = readFileSync(join(root, "systemd", "ledge-boot.cmd"), "utf8");
  const image = bootScript(text);
  const header = Buffer.from(image.subarray(0, 64));
  header.writeUInt32BE(0, 4);
  assert.equal(image.readUInt32BE(0), 0x27051956);
  assert.equal(image.readUInt32BE(4), crc32(header));
  assert.equal(image.readUInt32BE(24), crc32(image.subarray(64)));
  assert.equal(image.readUInt32BE(12), image.length - 64);
  assert.equal(image.readUInt32BE(64), text.length, "the length of its only part");
  assert.equal(image.toString("utf8", 72), text);
  assert.match(
    text,
    /setenv bootargs "[^"]* ro [^"]*fsck\.repair=yes systemd\.gpt_auto=0 panic=10 rauc\.slot=\$\{primary\}/,
  );
});

test("the disk begins with a table that the boot ROM of a Raspberry Pi 3 reads", () => {
  const bytes = bootRecord(3);
  const entry = (at: number): readonly number[] => {
    return [bytes.readUInt8(at + 4), bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
  };
  assert.equal(bytes.length, 32);
  assert.deepEqual(
    [entry(0), entry(16)],
    [
      [0x0c, 2048, 3 * 2048],
      [0xee, 1, 2047],
    ],
  );
});

test("what rpi-image-gen takes is whole, and only for boards whose kernel Debian does not have", () => {
  for (const { name, board } of boards) {
    if (board.image?.kernel.source !== "raspberry-pi") {
      assert.throws(() => rpiImageGen(name, board, "0.3.0"), /does not need Raspberry Pi's kernel/, name);
      continue;
    }
    const written = rpiImageGen(name, board, "0.3.0");
    const config = written["config/ledge.yaml"] ?? "";
    assert.match(
      config,
      new RegExp(
        `^device:\\n  layer: ${name}\\n\\nimage:\\n  layer: image-rpios\\n  name: ledge-${name}-0\\.3\\.0\\n`,
      ),
    );
    assert.match(config, /\nlayer:\n {2}base: trixie-minbase\n {2}app: ledge\n$/);
    const layer = written["layer/ledge.yaml"] ?? "";
    assert.match(layer, /^# METABEGIN\n(# .*\n|#\n)+# METAEND\n---\n/);
    assert.match(layer, /\nmmdebstrap:\n {2}customize-hooks:\n( {4}- [^\n]+\n){3}$/);
    assert.match(layer, /\n# X-Env-Layer-Name: ledge\n/);
    assert.match(layer, / - chroot "\$1" apt-get install --yes \/tmp\/ledge\.deb\n/);
  }
});

test("the hub of an image shares its id with nobody", () => {
  const taken = "systemd-resolve:x:990:990:systemd Resolver:/:/usr/sbin/nologin\n";
  assert.match(withHub(taken, "passwd"), /^systemd-resolve[^\n]*\nledge:x:(\d+):\1:[^\n]*\n$/);
  assert.match(withHub("root:x:0:\n", "group"), /^root:x:0:\nledge:x:\d+:\n$/);
  const [id = ""] = /(?<=^ledge:x:)\d+/m.exec(withHub("", "passwd")) ?? [];
  assert.throws(() => withHub(`other:x:${id}:${id}::/:/bin/false\n`, "passwd"), /taken in passwd: other/);
  assert.throws(() => withHub(`other:x:${id}:\n`, "group"), /taken in group/);
});

test("the hub has the same id in disk images and containers", () => {
  assert.match(withHub("", "passwd"), new RegExp(`^ledge:x:${hubId}:`));
  assert.equal(imageConfig("0.3.0").User, `${hubId}:20`);
});

/** Where packages would be unpacked. */
const unpacked = { firmware: "/firmware", deviceTrees: "/deviceTrees" };

for (const { name, board } of boards) {
  const { image } = board;
  if (image?.boot === "u-boot") {
    test(`${name} has what its boot ROM, its firmware and U-Boot look for`, () => {
      const found = bootFiles(board, image, unpacked);
      const text = (file: string): string => {
        const one = found[file];
        return one && "text" in one ? one.text.toString("latin1") : "";
      };
      const trees = board.machines.flatMap(({ deviceTree }) =>
        deviceTree === undefined ? [] : [deviceTree],
      );
      for (const tree of trees)
        assert.deepEqual(found[basename(tree)], { from: join(unpacked.deviceTrees, tree) });
      const chips = new Set(trees.map((tree) => /bcm\d+/.exec(tree)?.[0]));
      assert.equal(
        "bootcode.bin" in found,
        chips.has("bcm2837"),
        "only the Raspberry Pi 3 reads bootcode.bin",
      );
      assert.equal("start4.elf" in found && "fixup4.dat" in found, chips.has("bcm2711"));
      assert.equal("start.elf" in found && "fixup.dat" in found, chips.has("bcm2837"));
      if (trees.length > 0) {
        assert.match(
          text("config.txt"),
          /^arm_64bit=1\nenable_uart=1\nupstream_kernel=1\nkernel=u-boot\.bin$/m,
        );
        assert.deepEqual(found["u-boot.bin"], { from: "/firmware/usr/lib/u-boot/rpi_arm64/u-boot.bin" });
        assert.ok(["raspi-firmware", "u-boot-rpi"].every((packed) => image.firmware.includes(packed)));
      }
      const consoles = board.serialPorts
        .filter(({ use }) => use === "console")
        .map(({ path }) => basename(path));
      for (const console of consoles) assert.match(text("machine.txt"), new RegExp(`console=${console}\\b`));
    });
  }

  test(`${name} leaves memory for the machine itself`, () => {
    assert.ok(board.memory.hubMebibytes <= board.memory.machineMebibytes * 0.84);
  });

  test(`${name} has a watchdog, if an image is made for it`, () => {
    assert.equal(board.watchdog !== null, board.image !== undefined);
  });
}
