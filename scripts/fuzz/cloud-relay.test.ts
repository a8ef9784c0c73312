import assert from "node:assert/strict";
import { test } from "node:test";
import { cloudRows } from "@ledge/cloud";
import { seeded } from "../crash/random.ts";
import { fuzzCloud, problemsOf as problemsAtCloud } from "./cloud-fuzz.ts";
import { cloudRequestFor, wordsFor } from "./cloud-requests.ts";
import { type RawSource, rawFor } from "./raw.ts";
import { fuzzRelay, problemsOfRaw } from "./relay-fuzz.ts";

const wordsOf = wordsFor({ emails: ["a@b.c", "b@b.c"], hubs: ["a", "c"], codes: ["a.x"] });
const source = (seed: string) => ({ random: seeded(seed), ids: ["a", "c"], wordsOf });

test("a short run: the cloud copes with all requests to its rows", async () => {
  const { cases, byStatus, failures } = await fuzzCloud({ cases: 250, seed: "short", tell: () => {} });
  assert.deepEqual(failures, []);
  assert.equal(cases, 250);
  for (const status of ["200", "401", "403", "404", "422"]) assert.ok(byStatus[status], status);
});

test("a short run: hub and relay cope with all requests through the relay", async () => {
  const { cases, byStatus, failures } = await fuzzRelay({ cases: 250, seed: "short", tell: () => {} });
  assert.deepEqual(failures, []);
  assert.equal(cases, 250);
  for (const status of ["200", "401", "403", "404", "422"]) assert.ok(byStatus[status], status);
});

test("a seed determines the requests, and a single case can be repeated", async () => {
  for (const mounted of cloudRows)
    assert.deepEqual(cloudRequestFor(mounted, source("7")), cloudRequestFor(mounted, source("7")));
  const only = await fuzzCloud({ cases: 9, seed: "7", only: 5, tell: () => {} });
  assert.deepEqual([only.cases, only.failures], [1, []]);
});

test("sends each row of the cloud as every asker and in many ways", () => {
  for (const mounted of cloudRows) {
    const sent = Array.from({ length: 200 }, (_, at) => cloudRequestFor(mounted, source(`${at}`)));
    const name = `${mounted.row.method} ${mounted.row.path}`;
    const least = mounted.row.who === "anyone" ? 4 : 8;
    assert.ok(new Set(sent.map(({ asker }) => asker)).size >= least, name);
    if (mounted.row.fields !== undefined) assert.ok(new Set(sent.map(({ kind }) => kind)).size >= 6, name);
  }
});

test("reports what a cloud does wrong", () => {
  const mounted = cloudRows.find(({ row }) => row.path === "/user") ?? assert.fail();
  const request = { ...cloudRequestFor(mounted, source("1")), asker: "guest", delivery: "whole" } as const;
  const refusal = { status: 422, isJson: true, head: [], body: '{"message":"no"}' };
  const found = (sent: object, hasCommitted = false, changed: readonly string[] = []): string =>
    problemsAtCloud(request, { ...refusal, ...sent }, hasCommitted, changed).join("; ");
  assert.equal(found({}), "");
  assert.match(found({ status: 500 }), /^500 /);
  assert.match(found({ status: undefined }), /no answer/);
  assert.match(found({ status: 302 }), /a redirect/);
  assert.match(found({ isJson: false }), /without a message/);
  assert.match(found({}, true), /but a commit was written/);
  assert.match(found({ status: 200 }, true, ["owner"]), /guest has changed: owner/);
  assert.equal(found({ status: 200 }, true, ["guest", "hub a"]), "");
  const nobody = { ...request, asker: "nobody" } as const;
  assert.match(problemsAtCloud(nobody, { ...refusal, status: 200 }, false, []).join(), /nobody was answered/);
});

test("reports what a relay does wrong with raw bytes", () => {
  const raw = { kind: "half", bytes: Buffer.alloc(0), owed: 1, most: 1 };
  const answer = { status: 422, head: ["Content-Type: application/json"], body: '{"message":"no"}' };
  const found = (answers: readonly object[], events: readonly object[] = []): string =>
    problemsOfRaw(
      raw,
      { answers: answers.map((one) => ({ ...answer, ...one })), rest: "" },
      { changed: false, events } as never,
      "marker",
    ).join("; ");
  assert.equal(found([{}]), "");
  assert.match(found([]), /0 answers instead of 1/);
  assert.match(found([{}, {}]), /2 answers to 1/);
  assert.match(found([{ head: ["Location: /ui/0.2/user"] }]), /has the header Location/);
  assert.match(found([{ status: 307 }]), /a redirect/);
  assert.match(found([{ status: 500 }]), /^500/);
  assert.match(found([{ body: "" }]), /without a message/);
  assert.match(found([{}], [{ type: "RoomCreated", name: "marker" }]), /was taken for a request/);
});

test("a seed determines the raw bytes, which cover every kind", () => {
  const of = (seed: string): RawSource => ({
    random: seeded(seed),
    hubId: "h",
    credentials: ["Authorization: t"],
    marker: "m",
  });
  const sent = Array.from({ length: 300 }, (_, at) => rawFor(of(String(at))));
  assert.ok(new Set(sent.map(({ kind }) => kind)).size === 18);
  assert.deepEqual(rawFor(of("3")), sent[3]);
});
