// Cuts a release in the working tree: puts its version wherever one is written and gives the notes under
// "Unreleased" its heading. Commit and tag by hand; CONTRIBUTING.md has the steps.
//
//   node scripts/toolchain.mjs exec scripts/release.ts VERSION
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/**
 * Returns the changelog with the unreleased notes under a new heading.
 * @throws Error when the version is malformed, or there are no notes to release
 */
export function releasedNotes(changelog: string, version: string, date: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version like 1.2.3`);
  const [, before = "", notes = "", after = ""] =
    /^([^]*?\n## Unreleased\n)([^]*?)(\n## [^]*)?$/.exec(changelog) ?? [];
  if (notes.trim() === "") throw new Error("CHANGELOG.md has no notes under Unreleased");
  return `${before}\n## ${version} - ${date}\n${notes.replace(/\n*$/, "\n")}${after}`;
}

/** Replaces the old version in a manifest, or in the recorded output of `npm start`. */
export function withVersion(text: string, old: string, version: string): string {
  return text
    .replace(`"version": "${old}"`, `"version": "${version}"`)
    .replaceAll(`> ledge@${old} start`, `> ledge@${version} start`)
    .replaceAll(`Ledge cloud ${old}\n`, `Ledge cloud ${version}\n`)
    .replaceAll(`Ledge ${old}, profile`, `Ledge ${version}, profile`);
}

function main(version: string): void {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const write = (path: string, text: string): void => {
    if (text !== read(path)) writeFileSync(join(root, path), text);
  };
  const { version: old } = JSON.parse(read("package.json")) as { version: string };
  const today = new Date().toISOString().slice(0, 10);
  write("CHANGELOG.md", releasedNotes(read("CHANGELOG.md"), version, today));
  const listed = execFileSync("git", ["ls-files", "-z", "--", "*package.json", "*.md"], { cwd: root });
  for (const path of listed.toString().split("\0")) {
    if (path !== "" && path !== "CHANGELOG.md") write(path, withVersion(read(path), old, version));
  }
  console.log(`${old} -> ${version}`);
}

if (import.meta.main) main(process.argv[2] ?? "");
