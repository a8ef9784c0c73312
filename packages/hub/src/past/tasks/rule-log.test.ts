import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleLog } from "@ledge/api";
import { memoryLog } from "@ledge/log";
import { type LoggedEvent, roles } from "@ledge/model";
import { LogReader } from "../log-reader.ts";
import { BudgetSpent } from "../reader.ts";
import { carryOut } from "./index.ts";

const asker = { viewer: { role: roles.USER_ADMIN, user: "ada", since: 0 }, language: "en" } as const;
const begin = 1_768_471_200_000;
const everyMs = 10_000;
const perHour = 3_600_000 / everyMs;

function said(id: string, text: string): LoggedEvent {
  return { type: "RuleSaid", id, text, version: 1, origin: `rule:${id}`, depth: 1 } as LoggedEvent;
}

/** A log in which one rule logged once, and another one every 10 s for hours since. */
async function readerOf(
  hours: number,
): Promise<{ reader: LogReader; ask: (before: number | null) => RuleLog }> {
  const log = memoryLog();
  await log.append({ timestamp: begin, events: [said("quiet", "hello")] });
  for (let count = 1; count <= hours * perHour; count++)
    await log.append({ timestamp: begin + count * everyMs, events: [said("loud", String(count))] });
  let looked = 0;
  const reader = new LogReader({ log, hubId: "hub", version: "1.14.15.1", monotonic: () => looked++ });
  const ask = (before: number | null): RuleLog => {
    // This many commits can be read for one question.
    reader.begin(1.5 * perHour);
    return carryOut("rule-log", reader, { rules: ["quiet"], limit: 10, before }, asker) as RuleLog;
  };
  return { reader, ask };
}

test("finds old entries page by page, however much came since", async () => {
  const { ask } = await readerOf(6);
  const found: (string | undefined)[] = [];
  let pages = 0;
  let before: number | null = null;
  do {
    const page = ask(before);
    assert.ok(page.before === null || before === null || page.before < before, "each page goes on");
    found.push(...page.entries.map(({ text }) => text));
    ({ before } = page);
    pages++;
  } while (before !== null && pages < 100);
  assert.deepEqual([found, before], [["hello"], null]);
  assert.ok(pages > 1);
});

test("returns no page when there is no time for any commit", async () => {
  const { reader } = await readerOf(1);
  reader.begin(3);
  assert.throws(
    () => carryOut("rule-log", reader, { rules: ["quiet"], limit: 10, before: null }, asker),
    BudgetSpent,
  );
});
