// Cuts a release in the working tree: puts its version wherever one is written and gives the notes under
// "Unreleased" its heading. Commit and tag by hand; CONTRIBUTING.md has the steps.
//
//   node scripts/toolchain.mjs exec scripts/release.ts VERSION --contact URI
//   node scripts/toolchain.mjs exec scripts/release.ts --notes VERSION FILE...   prints the page of a release
//
// URI is where faults are reported privately: the advisory form of the site with the sources, or a mailto: address.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

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

/**
 * Returns the page of a release: its notes from the changelog, and how to verify its files.
 * @param sums SHA-256 of each file, by name
 * @throws Error when the changelog has no such release
 */
export function releasePage(changelog: string, version: string, sums: ReadonlyMap<string, string>): string {
  const begin = changelog.indexOf(`\n## ${version} - `);
  if (begin < 0) throw new Error(`CHANGELOG.md has no release ${version}`);
  const [, date = "", notes = ""] =
    /^\n## \S+ - (\S+)\n([^]*?)(?=\n## |$)/.exec(changelog.slice(begin)) ?? [];
  const lines = [...sums].map(([name, sum]) => `${sum}  ${name}`).toSorted();
  return `# Ledge ${version}, ${date}

${notes.trim()}

## Verify

The same sources give the same files: check out the tag v${version}, build them, and compare. docs/compliance.md has the
commands. Fixes of security faults go into this release until 90 days after the next one: SECURITY.md.

\`\`\`
${lines.join("\n")}
\`\`\`
`;
}

/** Days that a file of contacts holds. RFC 9116 advises less than a year. */
const contactDays = 364;

/**
 * Returns `security.txt` (RFC 9116), which says whom to tell of a fault. It lies below `/.well-known/`, and expires
 * unless a release renews it.
 * @param contact an https: or mailto: URI
 * @param day of the release, YYYY-MM-DD
 * @throws Error when the contact is no such URI
 */
export function securityText(contact: string, day: string): string {
  if (!/^(https:\/\/[^\s/]+\/\S+|mailto:[^\s@]+@[^\s@]+)$/.test(contact))
    throw new Error(
      `say --contact with an https: or mailto: URI for reports of faults, not ${contact || "nothing"}`,
    );
  const expires = new Date(Date.parse(`${day}T00:00:00Z`) + contactDays * 86_400_000).toISOString();
  return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en, de\n`;
}

/** Replaces the old version in a manifest, in the add-on, or in the recorded output of `npm start`. */
export function withVersion(text: string, old: string, version: string): string {
  return text
    .replace(`"version": "${old}"`, `"version": "${version}"`)
    .replace(`\nversion: ${old}\n`, `\nversion: ${version}\n`)
    .replaceAll(
      new RegExp(`\\b(ledge[a-z0-9-]*[:_])${old.replaceAll(".", "\\.")}(?![.\\d])`, "g"),
      `$1${version}`,
    )
    .replaceAll(`> ledge@${old} start`, `> ledge@${version} start`)
    .replaceAll(`Ledge cloud ${old}\n`, `Ledge cloud ${version}\n`)
    .replaceAll(`Ledge ${old}, profile`, `Ledge ${version}, profile`);
}

function main(version: string, contact: string): void {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const write = (path: string, text: string): void => {
    if (text !== read(path)) writeFileSync(join(root, path), text);
  };
  const { version: old } = JSON.parse(read("package.json")) as { version: string };
  const today = new Date().toISOString().slice(0, 10);
  const security = securityText(contact, today);
  write("CHANGELOG.md", releasedNotes(read("CHANGELOG.md"), version, today));
  const listed = execFileSync("git", ["ls-files", "-z", "--", "*package.json", "*.md", "addon/ledge/*"], {
    cwd: root,
  });
  for (const path of listed.toString().split("\0")) {
    if (path !== "" && path !== "CHANGELOG.md") write(path, withVersion(read(path), old, version));
  }
  mkdirSync(join(root, ".well-known"), { recursive: true });
  writeFileSync(join(root, ".well-known", "security.txt"), security);
  console.log(`${old} -> ${version}`);
}

function printPage(version: string, files: readonly string[]): void {
  const sum = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
  const sums = new Map(files.map((file) => [basename(file), sum(file)]));
  process.stdout.write(releasePage(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version, sums));
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { contact: { type: "string", default: "" }, notes: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [version = "", ...files] = positionals;
  if (values.notes) printPage(version, files);
  else main(version, values.contact);
}
