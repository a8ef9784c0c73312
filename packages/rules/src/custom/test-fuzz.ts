import { isRejection, limits } from "@ledge/model";
import { seededRandom } from "@ledge/testkit";
import { commandsOf } from "../engine/commands.ts";
import { diagram } from "../machine/diagram.ts";
import { machineOf, resolve, standing, step } from "../machine/step.ts";
import type { Template } from "../catalogue/template.ts";
import { RandomRule } from "../testdata/view.ts";
import type { Random } from "@ledge/testkit";
import { lineIn } from "./json-source.ts";
import { stairsSource } from "./test-sources.ts";
import { randomSource } from "./test-random-source.ts";
import { checkCustomRule } from "./trial.ts";

/** The result of a fuzz run of the installer. */
export interface FuzzOutcome {
  readonly cases: number;
  readonly accepted: number;
  /** Steps of accepted machines, and how many of them failed in a way that is allowed. */
  readonly steps: number;
  readonly faults: number;
  /** How often the installer gave each message, with names and numbers removed. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Failures of the installer itself: the case, and what went wrong. */
  readonly failures: readonly string[];
}

/** Faults with which a step of an accepted rule may end. */
const faults = /the step does too much|infinite loop|it keeps more than/i;
const eventsPerMachine = 20;

/**
 * Tries random sources on the installer, and random events on each machine that it accepts.
 * @param valid further valid sources; each case spoils one source
 * @param told called after each case with its number and its source
 */
export function fuzzInstaller(
  cases: number,
  seed: number,
  valid: readonly string[] = [],
  told: (at: number, source: string) => void = () => {},
): FuzzOutcome {
  const outcome = { cases, accepted: 0, steps: 0, faults: 0 };
  const refusals: Record<string, number> = {};
  const failures: string[] = [];
  for (let at = 0; at < cases; at++) {
    const random = seededRandom(seed * 1_000_003 + at);
    const source = randomSource([stairsSource, ...valid], random);
    try {
      const checked = checkCustomRule(source);
      if (isRejection(checked)) {
        const { message, field } = checked;
        const kind = message.replaceAll(/".*"|\d+/g, "_").slice(0, 60);
        refusals[kind] = (refusals[kind] ?? 0) + 1;
        if (message === "" || message.length > 4 * limits.customRuleBytes) failures.push(`${at}: no message`);
        if (field !== undefined) lineIn(source, field);
      } else {
        outcome.accepted++;
        walk(checked.template, random, outcome);
      }
    } catch (error) {
      failures.push(`${at}: ${(error as Error).stack ?? String(error)}\n${source.slice(0, 2000)}`);
    }
    if (Object.hasOwn(Object.prototype, "polluted")) failures.push(`${at}: a prototype has changed`);
    told(at, source);
  }
  return { ...outcome, refusals, failures };
}

/** @throws faults that no rule may have */
function walk(template: Template, random: Random, outcome: { steps: number; faults: number }): void {
  const machine = machineOf(template.chart);
  const rule = new RandomRule(template, random);
  let snapshot = machine.initial;
  let timers = new Set<string>();
  diagram(template, [standing(snapshot).value]);
  for (let at = 0; at < eventsPerMachine; at++) {
    const event = rule.event([...timers]);
    outcome.steps++;
    try {
      const stepped = step(machine, snapshot, at === 0 ? { ...event, type: "rule.on" } : event);
      snapshot = stepped.snapshot;
      commandsOf(stepped.effects, rule.rule, template);
      timers = new Set(
        [...timers].filter((name) => name !== event.type && !stepped.cancelled.includes(name)),
      );
      for (const { name, durationMs } of stepped.timers) {
        if (!Number.isSafeInteger(durationMs) || durationMs < limits.ruleAfterMinMs)
          throw new TypeError(`a timer of ${durationMs} ms`);
        timers.add(name);
      }
    } catch (error) {
      if (error instanceof TypeError || !faults.test((error as Error).message)) throw error;
      outcome.faults++;
    }
    const text = JSON.stringify(standing(snapshot));
    if (text.length > 2 * limits.ruleContextBytes) throw new Error("it keeps too much");
    if (random(4) === 0) snapshot = resolve(machine, JSON.parse(text) as ReturnType<typeof standing>);
  }
}
