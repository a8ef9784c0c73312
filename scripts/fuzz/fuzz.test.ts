import assert from "node:assert/strict";
import { test } from "node:test";
import { rows, rowName, type Row } from "@ledge/api";
import { seeded } from "../crash/random.ts";
import { fuzzHub, problemsOf } from "./fuzz.ts";
import { type FuzzRequest, requestFor } from "./requests.ts";

test("a short run: the hub copes with hostile requests to every row", async () => {
  const { cases, byStatus, failures } = await fuzzHub({
    cases: rows.length * 4,
    seed: "short",
    tell: () => {},
  });
  assert.deepEqual(failures, []);
  assert.equal(cases, rows.length * 4);
  for (const status of ["200", "401", "403", "404", "422"]) assert.ok(byStatus[status], status);
});

const source = (seed: string): { random: ReturnType<typeof seeded>; ids: string[] } => ({
  random: seeded(seed),
  ids: ["one", "two"],
});
const many = (row: Row): FuzzRequest[] =>
  Array.from({ length: 200 }, (_, index) => requestFor(row, source(`${rowName(row)} ${index}`)));

test("a seed determines the requests", () => {
  for (const row of rows) assert.deepEqual(requestFor(row, source("7")), requestFor(row, source("7")));
});

test("never sends rows that end the hub as somebody who may use them", () => {
  const [any] = rows as [Row];
  for (const path of ["/hub/restart", "/hub/reboot", "/hub/shutdown", "/console/factory-reset"])
    for (const { asker } of many({ ...any, path, access: "USER_ADMIN" }))
      assert.ok(["guest", "nobody", "stranger"].includes(asker), `${path} as ${asker}`);
});

test("sends each row valid requests and many kinds of invalid ones, as every asker", () => {
  for (const row of rows) {
    const sent = many(row);
    const kinds = new Set(sent.map(({ kind }) => kind));
    assert.ok(kinds.has("plain") && kinds.size >= 6, `${rowName(row)}: ${[...kinds].join()}`);
    if (/restart|reboot|shutdown|reset/.test(row.path)) continue;
    assert.equal(new Set(sent.map(({ asker }) => asker)).size, 6, rowName(row));
  }
});

test("reports what a hub does wrong", () => {
  const [row] = rows as [Row];
  const request = requestFor({ ...row, method: "PUT" }, source("1"));
  const refusal = { status: 422, isJson: true, head: [], body: '{"message":"no"}' };
  const quiet = { changed: false, events: [] };
  const found = (sent: object, news: object = {}): string =>
    problemsOf(request, { ...refusal, ...sent }, { ...quiet, ...news }).join("; ");
  assert.equal(found({}), "");
  assert.match(found({ status: 500 }), /^500 /);
  assert.match(found({ status: undefined }), /no answer/);
  assert.match(found({ isJson: false }), /without a message/);
  assert.match(found({ body: "" }), /without a message/);
  assert.match(found({}, { events: [{ type: "RoomCreated", cause: "request:1" }] }), /led to RoomCreated/);
  assert.equal(found({ status: 200 }, { events: [{ type: "RoomCreated", cause: "request:1" }] }), "");
  assert.equal(found({}, { changed: true, events: [{ type: "DeviceReported", cause: "1-0" }] }), "");
  assert.match(found({}, { changed: true }), /without an event/);
});
