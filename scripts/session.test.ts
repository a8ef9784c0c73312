import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { readProfile } from "@ledge/hub/profile";
import { masked, play, shapeOf, stepsIn, withSteps, type Step } from "./session.ts";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const session = readFileSync(join(root, "docs", "first-session.md"), "utf8");
/** Runs at the end of the session, to compare its output with the lists in the page. */
const asked = "ledge --help";
let shown: readonly Step[];
let played: readonly Step[];
let help: string;

before(async () => {
  shown = stepsIn(session, "sim");
  played = await play([...shown.map(({ command }) => command), asked]);
  help = played.at(-1)?.printed.join("\n") ?? "";
  played = played.slice(0, -1);
});

test("the session prints what the page shows", () => {
  assert.ok(shown.length > 10, "the page has no session");
  assert.deepEqual(shapeOf(played, true), shapeOf(shown, true));
});

test("the page lists the existing commands, adapters and profiles", () => {
  const commands = [...help.matchAll(/^ {2}([a-z][a-z0-9]*(?: [a-z][a-z0-9]*)*)(?: |$)/gm)].map(
    ([, words]) => `ledge ${words}`,
  );
  const adapters = globSync("packages/adapters/*", { cwd: root }).filter((path) =>
    readFileSync(join(root, path, "package.json"), "utf8").includes('"name": "@ledge/adapter-'),
  );
  // Profiles of boards are in docs/boards.md.
  const profiles = readdirSync(join(root, "firmware-profiles"))
    .filter(
      (file) =>
        file.endsWith(".json") && readProfile(join(root, "firmware-profiles", file)).board === undefined,
    )
    .map((file) => `firmware-profiles/${file}`);
  for (const list of [commands, adapters, profiles]) {
    assert.ok(list.length > 1, help);
    for (const name of list) assert.ok(readme.includes(`\`${name}\``), `README.md does not name ${name}`);
  }
});

test("the page is short enough to read in one sitting", () => {
  assert.ok(readme.split("\n").length <= 201);
});

test("replaces the output of the steps and nothing else", () => {
  const block = (...lines: string[]): string =>
    `a\n<!-- session:x -->\n\`\`\`console\n${lines.join("\n")}\n\`\`\`\nb\n<!-- /session:x -->\nc\n`;
  const page = block("$ one", "old", "$ two", "$ three", "old");
  const steps = stepsIn(page, "x");
  assert.deepEqual(
    steps.map(({ command }) => command),
    ["one", "two", "three"],
  );
  const [one, two, three] = [["1", "$1"], ["2"], []];
  const fresh = [one, two, three].map((printed, index) => ({
    command: steps[index]?.command ?? "",
    printed: printed ?? [],
  }));
  assert.equal(withSteps(page, "x", fresh), block("$ one", "1", "$1", "$ two", "2", "$ three"));
  assert.deepEqual(stepsIn(withSteps(page, "x", fresh), "x"), fresh);
});

const same: readonly (readonly [string, string])[] = [
  ["isOn=true power=0.5", "isOn=true power=12"],
  ["1795253221525-0 2026-11-21T09:27:01.525Z X", "1795253221526-10 2026-11-21T09:27:02.525Z X"],
  ["14 commits, 133 events, whole", "9 commits, 1 events, whole"],
];
const different: readonly (readonly [string, string])[] = [
  ["isOn=true", "isOn=false"],
  ['"full":true', '"full":false'],
  ["DeviceReported", "CommandIssued"],
];

test("masks what differs between runs, and nothing else", () => {
  for (const [one, other] of same) assert.equal(masked(one, true), masked(other, true));
  for (const [one, other] of different) assert.notEqual(masked(one, true), masked(other, true));
  assert.notEqual(masked("power=0.5", false), masked("power=12", false));
});
