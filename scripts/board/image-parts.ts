import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Board, Image } from "@ledge/hub/board";
import { cycloneDx, spdx, type Component } from "../sbom.ts";
import { sourceDate } from "../source-date.ts";
import { componentsOf, installedIn, ownersIn, unpackedIn } from "./debian-parts.ts";

/** What is known of an image's parts before what nobody reads is removed from it. */
export interface ImageParts {
  readonly debian: readonly Component[];
  /** Path -> Debian's package. */
  readonly owners: ReadonlyMap<string, string>;
}

/**
 * Reads the parts of an image.
 * @param root the Debian's root file system, as mmdebstrap made it
 * @param firmware folder where the packages with firmware are unpacked
 */
export function partsOf(
  root: string,
  firmware: string,
  { debian, firmware: names }: Image,
  { architecture }: Pick<Board, "architecture">,
): ImageParts {
  const status = readFileSync(join(root, "var/lib/dpkg/status"), "utf8");
  return {
    debian: [
      ...componentsOf(root, debian, installedIn(status)),
      ...componentsOf(firmware, debian, unpackedIn(firmware, names, architecture)),
    ],
    owners: ownersIn(root),
  };
}

/**
 * Writes what is in an image: the parts with their licences as `sbom.cdx.json` and `sbom.spdx.json`, those of the
 * release among them, and `files.tsv`, which has every file of the root file system with its package. `ledge` is the
 * release, `firmware` from the packages with firmware, `image` made by installing packages or with the image.
 * @param tree the release's files, below a root of their own
 * @param root the finished root file system
 */
export function writeParts(
  out: string,
  version: string,
  { debian, owners }: ImageParts,
  { tree, root, firmware }: { readonly tree: string; readonly root: string; readonly firmware: string },
): void {
  const release = JSON.parse(readFileSync(join(tree, "opt/ledge/sbom.cdx.json"), "utf8")) as {
    components: readonly { name: string; version: string; licenses: readonly Stated[] }[];
  };
  const npm = release.components.map(({ name, version: of, licenses }) => ({
    name,
    version: of,
    license: licenses[0]?.expression ?? licenses[0]?.license?.id ?? "NOASSERTION",
  }));
  const all = [...npm, ...debian];
  writeFileSync(join(out, "sbom.cdx.json"), cycloneDx(version, all));
  writeFileSync(join(out, "sbom.spdx.json"), spdx(version, all, new Date(sourceDate() * 1000)));
  const released = new Set(filesBelow(tree));
  const loaded = new Set(filesBelow(firmware));
  const lines = filesBelow(root).map((path) => {
    if (released.has(path)) return `${path}\tledge`;
    return `${path}\t${owners.get(path) ?? (loaded.has(path) ? "firmware" : "image")}`;
  });
  writeFileSync(join(out, "files.tsv"), `${lines.join("\n")}\n`);
}

interface Stated {
  readonly expression?: string;
  readonly license?: { readonly id: string };
}

/** The files and links below a folder, by their paths in it, in order. Node's own recursion follows links to folders. */
function filesBelow(folder: string, path = ""): readonly string[] {
  const entries = readdirSync(join(folder, path), { withFileTypes: true });
  const found = entries.flatMap((entry) => {
    const below = join(path, entry.name);
    return entry.isDirectory() ? filesBelow(folder, below) : [below];
  });
  return path === "" ? found.toSorted() : found;
}
