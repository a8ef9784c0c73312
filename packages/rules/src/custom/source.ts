import type { Rejection } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Template } from "../catalogue/template.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";
import { chartOf } from "./chart-of.ts";
import { readSource } from "./json-source.ts";
import { keptBy } from "./going-on.ts";
import type { Kept } from "./names.ts";
import { fail, nameAt, shapeAt, SourceProblem } from "./problem.ts";
import { describedBy } from "./template-of.ts";

/** A custom rule, read from its source. */
export interface CustomTemplate {
  readonly template: Template;
  /** The tests in the source, not yet read. */
  readonly tests: readonly unknown[];
}

const sourceFields = new Set(["type", "configType", "template", "machine", "late", "tests"]);
const typeForm = /^CUSTOM_[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/;
const lates = ["recheck", "fire"] as const;

/** Returns whether a config type belongs to custom rules, installed or not. */
export function isCustomType(configType: string): boolean {
  return configType.startsWith("CUSTOM_");
}

/**
 * Reads the source of a custom rule and makes its template.
 * @param version the hub's version of the template
 * @returns the template, or why the source is refused, with the path of the mistake
 */
export function parseCustomRule(source: string, version = 1): CustomTemplate | Rejection {
  try {
    return parse(source, version);
  } catch (error) {
    if (error instanceof SourceProblem) return error.rejection;
    throw error;
  }
}

function parse(source: string, version: number): CustomTemplate {
  const given = shapeAt(readSource(source), "", sourceFields);
  const { type, configType, late = "recheck", tests = [] } = given;
  if (type !== "CUSTOM_RULE") fail("type", "must be CUSTOM_RULE");
  if (typeof configType !== "string" || configType.length > limits.nameChars)
    fail("configType", `a text of at most ${limits.nameChars} characters is wanted`);
  nameAt(
    configType,
    "configType",
    typeForm,
    "must be CUSTOM_ and letters and digits, with _ or - between words",
  );
  if (!(lates as readonly unknown[]).includes(late)) fail("late", `must be one of ${lates.join(", ")}`);
  const described = describedBy(given["template"], configType);
  const { chart, hears } = chartOf(given["machine"], described);
  if (!Array.isArray(tests) || tests.length > limits.ruleTests)
    fail("tests", `must be a list of at most ${limits.ruleTests} tests`);
  const { extras } = described;
  const ranges = Object.keys(extras).filter((name) => extras[name]?.fieldType === "TIME_RANGE");
  const topics = (["outputs", "failed", "time"] as const).filter((topic) => hears.has(topic));
  return {
    template: template<Kept>({
      ...described,
      configType,
      version,
      class: "RULE",
      feature: "CUSTOM_RULES",
      custom: true,
      late: { late: late as (typeof lates)[number] },
      ...(topics.length > 0 && { hears: topics }),
      ...(ranges.length > 0 && { times: (view: View) => ranges.flatMap((name) => view.ranges(name)) }),
      chart,
      migrate: ({ value, context }) => ({ value, context: keptBy(chart.context, context) }),
    }),
    tests: tests as readonly unknown[],
  };
}
