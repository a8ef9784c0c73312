import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { releasedNotes, releasePage, securityText, withVersion } from "./release.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("moves the unreleased notes under the version, above older releases", () => {
  const changelog = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.2.0 - 2026-01-01\n\n- Old.\n";
  assert.equal(
    releasedNotes(changelog, "0.3.0", "2026-02-03"),
    "# Changelog\n\n## Unreleased\n\n## 0.3.0 - 2026-02-03\n\n- New.\n\n## 0.2.0 - 2026-01-01\n\n- Old.\n",
  );
});

test("cuts a first release", () => {
  const released = releasedNotes("# Changelog\n\n## Unreleased\n\n- New.\n", "0.2.0", "2026-02-03");
  assert.equal(released, "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n- New.\n");
});

for (const [changelog, version, message] of [
  ["# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-01-01\n", "0.3.0", /no notes/],
  ["# Changelog\n", "0.3.0", /no notes/],
  ["## Unreleased\n\n- New.\n", "v3", /v3 is not a version/],
] as const) {
  test(`refuses to release ${version} from ${JSON.stringify(changelog)}`, () => {
    assert.throws(() => releasedNotes(changelog, version, "2026-02-03"), message);
  });
}

test("changes the version in manifests and recorded output, nowhere else", () => {
  const text =
    '"version": "0.2.0", "dep": "0.2.0"\n> ledge@0.2.0 start\nLedge cloud 0.2.0\nLedge 0.2.0, profile sim';
  assert.equal(
    withVersion(text, "0.2.0", "0.3.0"),
    '"version": "0.3.0", "dep": "0.2.0"\n> ledge@0.3.0 start\nLedge cloud 0.3.0\nLedge 0.3.0, profile sim',
  );
  assert.equal(
    withVersion(
      "name: Ledge\nversion: 0.2.0\nimage ledge:0.2.0-amd64, ledge_0.2.0_arm64.deb 0.2.0\n",
      "0.2.0",
      "0.3.0",
    ),
    "name: Ledge\nversion: 0.3.0\nimage ledge:0.3.0-amd64, ledge_0.3.0_arm64.deb 0.2.0\n",
  );
});

test("the page of a release has its notes alone, and the sum of each file", () => {
  const changelog =
    "# Changelog\n\n## Unreleased\n\n- Next.\n\n## 0.3.0 - 2026-02-03\n\n### Log\n\n- New.\n\n## 0.2.0 - 2026-01-01\n\n- Old.\n";
  const sums = new Map([
    ["b.deb", "22"],
    ["a.img", "11"],
  ]);
  const page = releasePage(changelog, "0.3.0", sums);
  assert.match(page, /^# Ledge 0\.3\.0, 2026-02-03\n\n### Log\n\n- New\.\n\n## Verify\n/);
  assert.match(page, /\n11 {2}a\.img\n22 {2}b\.deb\n/);
  assert.doesNotMatch(page, /Old|Next/);
  assert.match(releasePage(changelog, "0.2.0", sums), /- Old\.\n\n## Verify/);
  assert.throws(() => releasePage(changelog, "0.4.0", sums), /no release 0\.4\.0/);
});

test("the file of contacts has a URI for reports, and expires within a year of the release", () => {
  const contact = "https://example.org/ledge/security/advisories/new";
  const fields = securityText(contact, "2026-03-01").trimEnd().split("\n");
  assert.deepEqual(fields, [
    `Contact: ${contact}`,
    "Expires: 2027-02-28T00:00:00.000Z",
    "Preferred-Languages: en, de",
  ]);
  assert.match(securityText("mailto:security@example.org", "2026-03-01"), /^Contact: mailto:/);
  for (const wrong of ["", "http://example.org/report", "security@example.org", "https://example.org/a b"])
    assert.throws(() => securityText(wrong, "2026-03-01"), /say --contact/, wrong);
});

/** Published on their own, with changelogs and versions of their own. */
const published = new Set(["packages/mbus/package.json", "packages/signalr/package.json"]);

test("every package has the version of the newest release in the changelog", () => {
  const newest = /^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/m.exec(read("CHANGELOG.md"))?.[1];
  const manifests = execFileSync(
    "git",
    ["ls-files", "package.json", "packages/**/package.json", "bench/package.json"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  const versions = manifests
    .trim()
    .split("\n")
    .filter((path) => !published.has(path))
    .map((path) => [path, (JSON.parse(read(path)) as { version: string }).version]);
  assert.ok(versions.length > 10);
  assert.deepEqual(
    versions.filter(([, version]) => version !== newest),
    [],
  );
});
