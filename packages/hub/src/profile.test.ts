import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { limits } from "@ledge/model";
import { featureCodes, ProfileError, quotasOf, readProfile } from "./profile.ts";

const folder = mkdtempSync(join(tmpdir(), "ledge-profile-"));
after(() => rmSync(folder, { recursive: true }));

const good = {
  name: "board",
  description: "A board",
  host: "0.0.0.0",
  port: 8893,
  cloud: null,
  clock: "synchronised",
  telemetryWindowMs: 1000,
  features: ["MODBUS", "EVENTS"],
  adapters: {},
};

const board = {
  architecture: "arm64",
  machines: [{ name: "Board", verified: false }],
  serialPorts: [],
  memory: { machineMebibytes: 1024, hubMebibytes: 640 },
  watchdog: null,
};

function read(content: unknown): ReturnType<typeof readProfile> {
  const file = join(folder, "profile.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return readProfile(file);
}

test("reads every profile of the repository", () => {
  const profiles = fileURLToPath(new URL("../../../firmware-profiles", import.meta.url));
  const files = readdirSync(profiles).filter((name) => name.endsWith(".json"));
  assert.ok(files.includes("sim.json"));
  for (const file of files) assert.equal(`${readProfile(join(profiles, file)).name}.json`, file);
});

test("a profile may set how much the log keeps", () => {
  const { telemetryDays, logMebibytes } = read({ ...good, telemetryDays: 1, logMebibytes: 8 });
  assert.deepEqual([telemetryDays, logMebibytes], [1, 8]);
  assert.equal(read(good).telemetryDays, undefined);
});

test("gives the history index a share of the log's size, where the hub has an index", () => {
  const [mebibyte, enough] = [1_048_576, limits.historyMemoryBytes];
  const shared = { logBytes: 80 * mebibyte, historyBytes: 20 * mebibyte };
  assert.deepEqual(quotasOf({ logMebibytes: 100 }, enough), shared);
  assert.deepEqual(quotasOf({ logMebibytes: 100, history: true }, enough), shared);
  const alone = { logBytes: 100 * mebibyte, historyBytes: undefined };
  assert.deepEqual(quotasOf({ logMebibytes: 100 }, enough - 1), alone);
  assert.deepEqual(quotasOf({ logMebibytes: 100, history: false }, enough), alone);
  const { logBytes, historyBytes = 0 } = quotasOf({}, enough);
  assert.equal(logBytes + historyBytes, limits.logBytes);
  assert.equal(read({ ...good, history: false }).history, false);
});

test("a profile may share a trial hub, and no other", () => {
  assert.equal(read({ ...good, trial: true, share: "states" }).share, "states");
  assert.throws(() => read({ ...good, share: "states" }), /share is for trial hubs alone/);
  assert.throws(() => read({ ...good, trial: true, share: "all" }), ProfileError);
});

test("a profile may say what its machine is", () => {
  assert.deepEqual(read({ ...good, board }).board, board);
});

test("a profile names its features, and the API gives their codes", () => {
  assert.deepEqual(featureCodes(read(good)), [15, 3]);
  const codes = (features: string[], ...adapters: string[]) =>
    featureCodes({ features, adapters: Object.fromEntries(adapters.map((name) => [name, {}])) });
  assert.deepEqual(codes(["EVENTS"], "modbus", "sim", "bacnet"), [3, 15, 10]);
  assert.deepEqual(codes(["MODBUS", "BACNET_SERVER"], "modbus", "bacnet"), [15, 23]);
});

const refused: readonly [string, unknown, RegExp][] = [
  ["no JSON", "{", /JSON/],
  ["a field is missing", { ...good, cloud: undefined }, /cloud/],
  ["a cloud is spoken to in the clear", { ...good, cloud: { url: "http://cloud.example.org" } }, /cloud/],
  ["a port that is none", { ...good, port: 70_000 }, /port/],
  ["a field that nobody knows", { ...good, prot: 1 }, /prot is no field of a profile/],
  ["a feature that nobody knows", { ...good, features: ["MODBUSS"] }, /no feature MODBUSS/],
  ["a feature by an inherited name", { ...good, features: ["constructor"] }, /no feature constructor/],
  ["an adapter that nobody knows", { ...good, adapters: { zigbe: {} } }, /no adapter zigbe/],
  ["telemetry for less than a day", { ...good, telemetryDays: 0 }, /telemetryDays/],
  ["telemetry for part of a day", { ...good, telemetryDays: 1.5 }, /telemetryDays/],
  ["a log of next to nothing", { ...good, logMebibytes: 7 }, /logMebibytes/],
  ["a trial on a board", { ...good, trial: true, board }, /trial is for example profiles/],
  [
    "a machine of another architecture",
    { ...good, board: { ...board, architecture: "armhf" } },
    /board\/architecture/,
  ],
  ["a board for no machine", { ...good, board: { ...board, machines: [] } }, /board\/machines/],
  [
    "a field of the board that nobody knows",
    { ...good, board: { ...board, leds: 3 } },
    /board\/leds is no field/,
  ],
  ["a name that is no file name", { ...good, name: "../x" }, /name/],
];

for (const [name, content, message] of refused) {
  test(`refuses ${name}`, () => {
    assert.throws(
      () => read(content),
      (error) => error instanceof ProfileError && message.test(error.message),
    );
  });
}

test("refuses a missing file and names it", () => {
  assert.throws(() => readProfile(join(folder, "none.json")), /none\.json/);
});
