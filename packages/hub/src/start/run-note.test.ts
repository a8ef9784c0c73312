import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { logFolder } from "@ledge/host/folder";
import { temporaryFolder } from "../testdata/hub-process.ts";
import { RunNote } from "./run-note.ts";

function used(): { path: string; file: string; remove(): void } {
  const folder = temporaryFolder();
  mkdirSync(logFolder(folder.path));
  const file = join(logFolder(folder.path), "data.mdb");
  writeFileSync(file, "log");
  return { ...folder, file };
}

test("counts a stop as clean only when it was noted and no file has changed since", () => {
  const folder = used();
  assert.equal(new RunNote(folder.path).isClean, false);
  const note = new RunNote(folder.path);
  note.begin();
  assert.equal(new RunNote(folder.path).isClean, false);
  note.end();
  assert.equal(new RunNote(folder.path).isClean, true);
  utimesSync(folder.file, 1, 1);
  assert.equal(new RunNote(folder.path).isClean, false);
  folder.remove();
});

test("counts deaths in a row until a clean stop or a longer run", () => {
  const folder = used();
  for (let deaths = 0; deaths < 3; deaths++) {
    const note = new RunNote(folder.path);
    note.begin();
    assert.equal(note.deaths, deaths);
  }
  const note = new RunNote(folder.path);
  note.survived();
  assert.equal(new RunNote(folder.path).deaths, 0);
  note.end();
  note.begin();
  assert.equal(note.deaths, 0);
  folder.remove();
});

test("leaves out an event after two refusals in a row, until all events could be applied", () => {
  const folder = used();
  const place = { timestamp: 5, index: 1, type: "Odd" };
  for (const isLeftOut of [false, true]) {
    new RunNote(folder.path).refuse(place, "no");
    assert.equal(new RunNote(folder.path).leftOut !== undefined, isLeftOut);
  }
  new RunNote(folder.path).refuse({ ...place, index: 2 }, "another");
  assert.equal(new RunNote(folder.path).leftOut, undefined);
  new RunNote(folder.path).applied();
  assert.equal(new RunNote(folder.path).refused, undefined);
  folder.remove();
});

test("takes a damaged or unwritable note as an unclean stop", () => {
  const folder = used();
  new RunNote(folder.path).end();
  writeFileSync(join(folder.path, "run.json"), '{"left":');
  assert.equal(new RunNote(folder.path).isClean, false);
  new RunNote(folder.path).end();
  mkdirSync(join(folder.path, "run.json.new"));
  new RunNote(folder.path).begin();
  assert.equal(new RunNote(folder.path).isClean, false);
  folder.remove();
});
