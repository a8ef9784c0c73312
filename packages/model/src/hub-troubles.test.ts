import assert from "node:assert/strict";
import { test } from "node:test";
import type { HubFacts } from "./hub-health.ts";
import { hubTroubleTexts } from "./hub-trouble-texts.ts";
import { troublesOf } from "./hub-troubles.ts";
import { languages } from "./language.ts";
import { limits } from "./limits.ts";

const well: HubFacts = {
  at: 1,
  release: "0.2.0",
  version: "1.14.15.1",
  profile: "sim",
  upMs: 1000,
  state: "serving",
  reason: null,
  adapters: [{ protocol: "sim", state: "running", failures: 0, reason: null }],
  radios: [{ port: "/dev/a", model: null, protocol: "zigbee", isThere: true }],
  log: {
    fileBytes: 1,
    usedBytes: 1,
    quotaBytes: 2,
    quotaExceeded: false,
    bytesPerDay: 0,
    wholeSince: null,
    journalMode: "direct",
  },
  history: { state: "off", reason: null, upTo: null, usedBytes: 0, quotaBytes: null },
  disk: { freeBytes: limits.diskLowBytes, totalBytes: 1e10 },
  memory: { processBytes: 1, availableBytes: limits.memoryLowBytes, totalBytes: 1e9 },
  clock: { trusted: true },
  cloud: { url: "https://cloud.example.org", connected: true, clone: null },
  https: { served: false, problem: null, until: null, expiry: null },
  lost: [],
  counts: {},
};

const cloud = { url: "https://cloud.example.org", connected: true, clone: null };
const https = { served: true, problem: null, until: 9 };
const zigbee = { protocol: "zigbee", failures: 5, reason: "no answer" };

/** What makes each trouble; the second one is named by `of`. */
const causes: readonly (readonly [code: string, facts: Partial<HubFacts>, of?: string])[] = [
  ["NOT_SERVING", { state: "failed", reason: "EIO" }],
  ["READ_ONLY", { state: "read-only", disk: { freeBytes: 0, totalBytes: 1 } }],
  ["SAFE_MODE", { state: "safe-mode" }],
  ["RESCUE", { state: "rescue" }],
  ["FILE_LOST", { lost: [{ file: "secret-key", problem: "is missing" }] }, "secret-key"],
  ["DISK_LOW", { disk: { freeBytes: limits.diskLowBytes - 1, totalBytes: 1e10 } }],
  ["LOG_OVER_QUOTA", { log: { ...well.log, quotaExceeded: true } }],
  ["HISTORY_FAILED", { history: { ...well.history, state: "failed" } }],
  ["MEMORY_LOW", { memory: { ...well.memory, availableBytes: limits.memoryLowBytes - 1 } }],
  ["CLOCK_NOT_TRUSTED", { clock: { trusted: false } }],
  [
    "RADIO_GONE",
    {
      radios: [{ port: "/dev/a", model: null, protocol: "zigbee", isThere: false }],
      adapters: [{ ...zigbee, state: "resting" }],
    },
    "zigbee",
  ],
  ["ADAPTER_RESTING", { adapters: [{ ...zigbee, state: "resting" }] }, "zigbee"],
  ["ADAPTER_RESTARTING", { adapters: [{ ...zigbee, state: "restarting" }] }, "zigbee"],
  ["CLOUD_AWAY", { cloud: { ...cloud, connected: false } }],
  ["CLONE", { cloud: { ...cloud, clone: "another has the link" } }],
  ["HTTPS_OFF", { https: { ...https, served: false, problem: "port in use", expiry: null } }],
  ["CERTIFICATE_EXPIRED", { https: { ...https, expiry: "expired" } }],
  ["CERTIFICATE_EXPIRING", { https: { ...https, expiry: "expiring" } }],
];

test("a hub that fares well has no trouble", () => {
  assert.deepEqual(troublesOf(well, "en"), []);
});

test("every trouble has a cause here", () => {
  assert.deepEqual(
    causes.map(([code]) => code),
    Object.keys(hubTroubleTexts),
  );
});

for (const [code, facts, of = null] of causes) {
  test(`${code} is told alone, with sentence and remedy in every language`, () => {
    for (const language of languages) {
      const troubles = troublesOf({ ...well, ...facts }, language);
      assert.deepEqual(
        troubles.map((trouble) => [trouble.code, trouble.of]),
        [[code, of]],
      );
      const [shown, ...more] = troubles.flatMap(({ text, remedy }) => [text, remedy]);
      for (const said of [shown ?? "", ...more]) assert.ok(said.endsWith(".") && !/[{}]/.test(said), said);
      if (of !== null) assert.ok(shown?.includes(of), shown);
    }
  });
}

test("errors come before warnings", () => {
  const troubles = troublesOf({ ...well, clock: { trusted: false }, state: "rescue" }, "en");
  assert.deepEqual(
    troubles.map(({ level, code }) => [level, code]),
    [
      ["error", "RESCUE"],
      ["warn", "CLOCK_NOT_TRUSTED"],
    ],
  );
});
