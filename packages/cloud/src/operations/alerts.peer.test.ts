// The alerts and the dashboard for a cloud, read by Prometheus' own tool and held against what a cloud serves.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { CloudProcess } from "../testdata/cloud-process.ts";

const here = import.meta.dirname;
const read = (name: string): string => readFileSync(join(here, name), "utf8");
const alerts = [...read("alerts.yml").matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);

/** Runs `promtool` in the folder of the files; fails with what it says. */
function promtool(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: here, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
}

test("Prometheus accepts the configuration and the alerts", () => {
  promtool("check", "config", "--syntax-only", "prometheus.yml");
  promtool("check", "rules", "alerts.yml");
});

test("each fault raises its alert, and a healthy cloud raises none", () => {
  promtool("test", "rules", "alerts.test.yml");
  const raised = [...read("alerts.test.yml").matchAll(/alertname="(\w+)"/g)].map(([, name = ""]) => name);
  assert.deepEqual(raised.toSorted(), alerts.toSorted());
});

test("docs/cloud.md says what to do about each alert", () => {
  const page = readFileSync(join(here, "..", "..", "..", "..", "docs", "cloud.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(Ledge\w+)` /gm)].map(([, name = ""]) => name);
  assert.deepEqual(rows.toSorted(), alerts.toSorted());
});

test("the alerts and the dashboard use each metric that a cloud serves, and no other", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const cloud = await CloudProcess.start(folder.path);
  t.after(() => cloud.kill());
  const token = await cloud.logIn("owner@example.org");
  await cloud.call("POST", "/graph/query", token, { query: { type: "ListHubsQuery" } });
  const served = new Set(
    [...(await cloud.metrics()).matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name),
  );
  // Only a cloud with a certificate serves when it expires.
  served.add("ledge_certificate_expires_seconds");
  // Only one of several processes serves how it follows the others; cluster.peer.test.ts reads that.
  for (const name of ["writing", "processes", "lease_age_seconds", "behind_seconds"])
    served.add(`ledge_${name}`);
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/\bledge_\w+(?=\{)/g)].map(([name]) => name.replace(/_bucket$/, ""));
  const used = new Set(["dashboard.json", "alerts.yml"].flatMap((file) => namesIn(read(file))));
  assert.deepEqual([...used].toSorted(), [...served].toSorted());
});
