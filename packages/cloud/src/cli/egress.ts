import {
  ask,
  type CliCommand,
  CliError,
  exitCodes,
  type Invocation,
  printAnswer,
} from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { DeadLetterOverview, EgressOverview } from "../console/egress.ts";

export const egress: CliCommand = {
  words: "egress",
  usage: "[SITE]",
  summary: "Lists the programs that get the events of sites, and how it goes",
  check: ({ positionals }) => void atMost(positionals, 1),
  async run(invocation) {
    const [siteId] = invocation.positionals;
    const query = siteId === undefined ? "" : `?${new URLSearchParams({ siteId }).toString()}`;
    const found = await ask<EgressOverview[]>(invocation, "GET", `/console/egress${query}`);
    const rows = found.map((target) => [
      target.siteId,
      target.targetId,
      target.origin ?? "?",
      stateOf(target),
      String(target.deadLetters),
    ]);
    const header = ["SITE", "TARGET", "RECEIVER", "STATE", "DEAD LETTERS"];
    return printAnswer(invocation, found, table(header, rows));
  },
};

export const egressDeadLetters: CliCommand = {
  words: "egress dead-letters",
  usage: "SITE TARGET",
  summary: "Lists the batches that a receiver has refused",
  check: ({ positionals }) => void targetIn(positionals, 2),
  async run(invocation) {
    const query = new URLSearchParams(targetIn(invocation.positionals, 2)).toString();
    const path = `/console/egress/dead-letters?${query}`;
    const found = await ask<DeadLetterOverview[]>(invocation, "GET", path);
    const rows = found.map(({ batchId, events, reason, at, isReplayed }) => [
      batchId,
      String(events),
      new Date(at).toISOString(),
      isReplayed ? "yes" : "no",
      reason,
    ]);
    const header = ["BATCH", "EVENTS", "SINCE", "WAITS", "REASON"];
    return printAnswer(invocation, found, table(header, rows));
  },
};

export const egressReplay: CliCommand = {
  words: "egress replay",
  usage: "SITE TARGET [BATCH]",
  summary: "Sends dead letters again, one or all of a target",
  check: ({ positionals }) => void targetIn(positionals, 3),
  async run(invocation) {
    const { positionals } = invocation;
    const [, , batchId] = positionals;
    const body = { ...targetIn(positionals, 3), ...(batchId !== undefined && { batchId }) };
    const found = await ask<{ waiting: number }>(invocation, "POST", "/console/egress/replay", body);
    return printAnswer(invocation, found, `${found.waiting} wait to be sent`);
  },
};

function stateOf({ enabled, disabled, failingSince }: EgressOverview): string {
  if (disabled !== null) return `disabled: ${disabled}`;
  if (!enabled) return "disabled";
  return failingSince === null ? "works" : `fails since ${new Date(failingSince).toISOString()}`;
}

function targetIn(
  positionals: Invocation["positionals"],
  most: number,
): { siteId: string; targetId: string } {
  const [siteId, targetId] = atMost(positionals, most);
  if (siteId === undefined || targetId === undefined)
    throw new CliError(exitCodes.usage, "which target? SITE TARGET");
  return { siteId, targetId };
}

function atMost(positionals: Invocation["positionals"], most: number): Invocation["positionals"] {
  if (positionals.length > most) throw new CliError(exitCodes.usage, `${positionals[most]} is too much`);
  return positionals;
}
