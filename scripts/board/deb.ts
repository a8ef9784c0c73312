import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { sourceDate } from "../source-date.ts";
import { writeTree } from "./release-tree.ts";

const root = join(import.meta.dirname, "..", "..");

/** What Debian runs when the package comes, and when it goes. Each may run again after a failure. */
const scripts: Readonly<Record<string, string>> = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  systemd-sysusers ledge.conf
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl restart systemd-modules-load.service || true
    udevadm control --reload && udevadm trigger --subsystem-match=tty || true
  fi
  deb-systemd-helper unmask ledge.service >/dev/null || true
  if deb-systemd-helper --quiet was-enabled ledge.service; then
    deb-systemd-helper enable ledge.service >/dev/null
  else
    deb-systemd-helper update-state ledge.service >/dev/null
  fi
  # An update lets the hub write its log out, and starts the new release.
  if [ -d /run/systemd/system ]; then deb-systemd-invoke restart ledge.service; fi
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then deb-systemd-invoke stop ledge.service; fi
`,
  postrm: `#!/bin/sh
set -e
case "$1" in
  remove)
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
    if [ -x /usr/bin/deb-systemd-helper ]; then deb-systemd-helper mask ledge.service >/dev/null; fi
    ;;
  purge)
    if [ -x /usr/bin/deb-systemd-helper ]; then
      deb-systemd-helper purge ledge.service >/dev/null
      deb-systemd-helper unmask ledge.service >/dev/null
    fi
    # The log, its backups, the hub's keys and whatever the owner added to its configuration.
    rm -rf /var/lib/ledge /etc/ledge
    if getent passwd ledge >/dev/null; then userdel ledge; fi
    ;;
esac
`,
};

const control = (version: string, architecture: string, kibibytes: number): string => `Package: ledge
Version: ${version}
Architecture: ${architecture}
Maintainer: The authors of Ledge <nobody@ledge.invalid>
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.28), libstdc++6 (>= 10), libgcc-s1, systemd (>= 247), udev, init-system-helpers, passwd
Recommends: polkitd, systemd-timesyncd | time-daemon
Section: net
Priority: optional
Description: Event-sourced automation hub
 Ledge runs the lights, meters, locks and rules of a home or a building on a
 small gateway. It speaks Zigbee, Z-Wave and Modbus, and keeps all that happened
 in a log from which it explains and takes back what it did.
 .
 This package brings its own Node.
`;

const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Ledge

Files: *
Copyright: the authors of Ledge
License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
Comment:
 /opt/ledge/bin/node is Node.js, under the MIT licence and those of what it contains.
 Packages of npm in /opt/ledge/lib and /opt/ledge/node_modules are under permissive licences.
`;

/**
 * Builds a Debian package from the sources. The same sources give the same bytes.
 * @param profile file of the board's profile
 * @param out folder for the package
 * @param work folder for intermediate files; it is replaced
 * @param packing how its data are compressed
 * @returns the package's path
 */
export async function buildDeb(
  profile: string,
  out: string,
  work: string,
  packing: "xz" | "none" = "xz",
): Promise<string> {
  const { version, board } = await writeTree(work, profile);
  const docs = join(work, "usr/share/doc/ledge");
  mkdirSync(docs, { recursive: true });
  writeFileSync(join(docs, "copyright"), copyright);
  writeFileSync(join(docs, "changelog.gz"), gzipSync(readFileSync(join(root, "CHANGELOG.md")), { level: 9 }));
  const files = filesOf(work);
  const about = join(work, "DEBIAN");
  mkdirSync(about);
  const bytes = files.reduce((sum, path) => sum + lstatSync(join(work, path)).size, 0);
  writeFileSync(join(about, "control"), control(version, board.architecture, Math.ceil(bytes / 1024)));
  writeFileSync(join(about, "conffiles"), "/etc/ledge/profile.json\n");
  writeFileSync(join(about, "md5sums"), files.map((path) => `${md5(join(work, path))}  ${path}\n`).join(""));
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(about, name), text, { mode: 0o755 });
  const epoch = sourceDate();
  for (const path of ["", ...globSync("**/*", { cwd: work })]) {
    const full = join(work, path);
    utimesSync(full, epoch, epoch);
    const { mode } = lstatSync(full);
    chmodSync(full, lstatSync(full).isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
  mkdirSync(out, { recursive: true });
  const file = join(out, `ledge_${version}_${board.architecture}.deb`);
  rmSync(file, { force: true });
  execFileSync("dpkg-deb", ["--root-owner-group", `-Z${packing}`, "--build", work, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return file;
}

function filesOf(folder: string): readonly string[] {
  return globSync("**/*", { cwd: folder })
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .toSorted();
}

function md5(path: string): string {
  return createHash("md5").update(readFileSync(path)).digest("hex");
}
