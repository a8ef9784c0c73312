import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { temporaryFolder } from "@ledge/testkit";
import { installedIn, licencesIn } from "./debian-parts.ts";
import { partsOf, writeParts } from "./image-parts.ts";

const status = `Package: libssl3t64
Status: install ok installed
Architecture: arm64
Version: 3.5.1-1+deb13u1

Package: gone
Status: deinstall ok config-files
Architecture: arm64
Version: 1

Package: base-files
Status: install ok installed
Architecture: arm64
Version: 1:13.8
Description: x
 Status: in a description
`;

test("lists what dpkg has installed, and not what it has removed", () => {
  assert.deepEqual(installedIn(status), [
    { name: "base-files", version: "1:13.8", architecture: "arm64" },
    { name: "libssl3t64", version: "3.5.1-1+deb13u1", architecture: "arm64" },
  ]);
  assert.deepEqual(installedIn(""), []);
});

test("finds licences in both forms of copyright files", () => {
  const stated =
    "Format: x\\n\\nFiles: *\\nLicense: GPL-2+\\n text\\n\\nFiles: y\\nLicense: MIT\\n\\nLicense: GPL-2+\\n";
  assert.deepEqual(licencesIn(stated.replaceAll("\\n", "\n")), ["GPL-2+", "MIT"]);
  assert.deepEqual(
    licencesIn("See `/usr/share/common-licenses/GPL-2'.\nAnd /usr/share/common-licenses/LGPL-2.1."),
    ["GPL-2", "LGPL-2.1"],
  );
  assert.deepEqual(licencesIn("As you like it."), []);
});

test("an image's lists have Debian's packages, firmware, the release and every file", async () => {
  const temporary = temporaryFolder();
  const [root, firmware, tree] = ["root", "firmware", "tree"].map((name) => join(temporary.path, name)) as [
    string,
    string,
    string,
  ];
  const put = (folder: string, path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  put(root, "var/lib/dpkg/status", status);
  put(root, "var/lib/dpkg/info/libssl3t64:arm64.list", "/.\n/usr\n/lib/libssl.so.3\n");
  put(root, "usr/share/doc/libssl3t64/copyright", "License: Apache-2.0\n");
  put(firmware, "usr/share/doc/raspi-firmware/copyright", "License: Proprietary_1\n");
  const changelog = gzipSync("raspi-firmware (1.20240424+ds-6) unstable; urgency=medium\n");
  put(firmware, "usr/share/doc/raspi-firmware/changelog.Debian.gz", changelog);
  put(firmware, "usr/lib/firmware/brcm/wifi.bin", "");
  const npm = { name: "lmdb", version: "3.4.2", licenses: [{ license: { id: "MIT" } }] };
  put(tree, "opt/ledge/sbom.cdx.json", JSON.stringify({ components: [npm] }));
  const partitions = { bootMebibytes: 128, rootMebibytes: 256, dataMebibytes: 256 };
  const kernel = { source: "debian", package: "linux-image-arm64" } as const;
  const image = {
    debian: "trixie",
    kernel,
    firmware: ["raspi-firmware"],
    boot: "u-boot",
    consoles: ["tty0"],
    partitions,
  } as const;
  const parts = partsOf(
    root,
    firmware,
    { ...image, firmware: [...image.firmware], consoles: [...image.consoles] },
    { architecture: "arm64" },
  );
  for (const path of [
    "usr/lib/libssl.so.3",
    "usr/lib/firmware/brcm/wifi.bin",
    "etc/hostname",
    "opt/ledge/sbom.cdx.json",
  ])
    put(root, path, "");
  symlinkSync("usr/lib", join(root, "lib"));
  writeParts(temporary.path, "0.3.0", parts, { tree, root, firmware });
  const read = (name: string): string => readFileSync(join(temporary.path, name), "utf8");
  const lines = read("files.tsv").split("\n");
  assert.deepEqual(
    lines.filter((line) => line.startsWith("lib")),
    ["lib\timage"],
  );
  for (const line of [
    "usr/lib/libssl.so.3\tlibssl3t64",
    "usr/lib/firmware/brcm/wifi.bin\tfirmware",
    "etc/hostname\timage",
    "opt/ledge/sbom.cdx.json\tledge",
  ])
    assert.ok(lines.includes(line), line);
  const list = read("sbom.cdx.json");
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  assert.equal(await validator.validate(list), null);
  const { components } = JSON.parse(list) as { components: { purl: string; licenses: unknown }[] };
  assert.deepEqual(
    components.map(({ purl, licenses }) => [purl, licenses]),
    [
      ["pkg:npm/lmdb@3.4.2", [{ license: { id: "MIT" } }]],
      ["pkg:deb/debian/base-files@1%3A13.8?arch=arm64&distro=trixie", []],
      [
        "pkg:deb/debian/libssl3t64@3.5.1-1%2Bdeb13u1?arch=arm64&distro=trixie",
        [{ license: { name: "Apache-2.0" } }],
      ],
      [
        "pkg:deb/debian/raspi-firmware@1.20240424%2Bds-6?arch=arm64&distro=trixie",
        [{ license: { name: "Proprietary_1" } }],
      ],
    ],
  );
  const { packages } = JSON.parse(read("sbom.spdx.json")) as {
    packages: { name: string; licenseComments?: string }[];
  };
  assert.equal(
    packages.find(({ name }) => name === "raspi-firmware")?.licenseComments,
    "Debian's copyright file: Proprietary_1",
  );
  temporary.remove();
});
