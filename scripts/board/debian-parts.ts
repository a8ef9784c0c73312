import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Component } from "../sbom.ts";

/** A package that dpkg has in a root file system. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

/** Returns the installed packages in a text of dpkg's status, in order of their names (deb-control(5)). */
export function installedIn(status: string): readonly Installed[] {
  const found: Installed[] = [];
  for (const paragraph of status.split(/\n{2,}/)) {
    const field = (name: string): string =>
      new RegExp(`^${name}: (.*)$`, "m").exec(paragraph)?.[1]?.trim() ?? "";
    if (!/^\S+ \S+ installed$/.test(field("Status"))) continue;
    found.push({ name: field("Package"), version: field("Version"), architecture: field("Architecture") });
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Returns the names of licences in a package's copyright file, as Debian has them: those of its paragraphs
 * (https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/), else the common ones that its text points at.
 */
export function licencesIn(copyright: string): readonly string[] {
  const stated = [...copyright.matchAll(/^License:[ \t]*(\S.*)$/gm)].map(([, name = ""]) => name.trim());
  const common = [...copyright.matchAll(/\/usr\/share\/common-licenses\/([A-Za-z0-9.+-]*[A-Za-z0-9+])/g)];
  const all = stated.length > 0 ? stated : common.map(([, name = ""]) => name);
  return [...new Set(all)].toSorted();
}

/** Returns the parts of a list of packages, with the licences in `folder`, where they are unpacked. */
export function componentsOf(
  folder: string,
  release: string,
  packages: readonly Installed[],
): readonly Component[] {
  return packages.map(({ name, version, architecture }) => {
    const file = join(folder, "usr/share/doc", name, "copyright");
    const licences = existsSync(file) ? licencesIn(readFileSync(file, "utf8")) : [];
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=${release}`;
    return { name, version, license: "NOASSERTION", purl, debianLicences: licences };
  });
}

/** Returns packages that were unpacked without dpkg, by their changelogs. */
export function unpackedIn(
  folder: string,
  names: readonly string[],
  architecture: string,
): readonly Installed[] {
  return names.map((name) => {
    const changelog = gunzipSync(readFileSync(join(folder, "usr/share/doc", name, "changelog.Debian.gz")));
    const version = /^\S+ \((\S+)\)/.exec(changelog.toString("utf8"))?.[1] ?? "";
    return { name, version, architecture };
  });
}

/** Returns whose each file is that dpkg has installed below `root`: path without the leading slash -> package. */
export function ownersIn(root: string): Map<string, string> {
  const owners = new Map<string, string>();
  const info = join(root, "var/lib/dpkg/info");
  for (const list of globSync("*.list", { cwd: info })) {
    const owner = basename(list, ".list").replace(/:.*/, "");
    for (const path of readFileSync(join(info, list), "utf8").split("\n")) {
      // Since /usr was merged, packages may still name what is in it by the old paths.
      if (path.length > 1) owners.set(path.slice(1).replace(/^(bin|sbin|lib)\//, "usr/$1/"), owner);
    }
  }
  return owners;
}
