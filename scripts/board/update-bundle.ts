import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { formatsOf } from "@ledge/hub/update/formats";
import { releaseFile } from "@ledge/hub/update/rauc";
import { declared } from "@ledge/model";
import { compatibleOf } from "./update-files.ts";

export interface Bundled {
  /** Images of the file system with the kernel, and of the root file system. */
  readonly boot: string;
  readonly root: string;
  readonly profile: string;
  readonly version: string;
  /** PEM files of who signs: a certificate that the machines trust, and its key. */
  readonly certificate: string;
  readonly key: string;
}

/**
 * Makes a signed bundle for RAUC, and the feed that announces it, beside each other.
 * @param out the bundle's file; it is replaced
 */
export function buildBundle({ boot, root, profile, version, certificate, key }: Bundled, out: string): void {
  const content = `${out}.content`;
  for (const path of [out, content]) rmSync(path, { recursive: true, force: true });
  mkdirSync(content, { recursive: true });
  cpSync(boot, join(content, "boot.vfat"));
  cpSync(root, join(content, "root.squashfs"));
  const manifest = [
    "[update]",
    `compatible=${compatibleOf(profile)}`,
    `version=${version}`,
    "[bundle]",
    "format=verity",
    "[image.rootfs]",
    "filename=root.squashfs",
    "[image.boot]",
    "filename=boot.vfat",
  ];
  writeFileSync(join(content, "manifest.raucm"), `${manifest.join("\n")}\n`);
  const release = { version, profile, formats: formatsOf(declared) };
  writeFileSync(join(content, releaseFile), JSON.stringify(release));
  execFileSync("rauc", ["bundle", `--cert=${certificate}`, `--key=${key}`, content, out], {
    stdio: "ignore",
  });
  rmSync(content, { recursive: true });
  const feed = { version, bundle: basename(out), bytes: statSync(out).size };
  writeFileSync(join(dirname(out), "newest.json"), `${JSON.stringify(feed)}\n`);
}
