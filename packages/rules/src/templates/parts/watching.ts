import type { Language, Rejection, RuleConfig } from "@ledge/model";
import { reject } from "@ledge/model";
import type { Shows, ValueField } from "../../catalogue/field.ts";
import { attributeName, devices, duration, flag, option, scenes, watched } from "../../catalogue/field.ts";
import type { Template, TemplateTexts } from "../../catalogue/template.ts";
import { template } from "../../catalogue/template.ts";
import type { Effect } from "../../machine/effect.ts";
import { turn } from "../../machine/effect.ts";
import { out } from "../../machine/chart.ts";
import type { View } from "../../machine/view.ts";
import { watchingTexts } from "./watching.texts.ts";

/** Whether a reading fulfils a condition; `between`: it neither begins nor ends to do so. */
export type Judged = "yes" | "no" | "between";

/** Returns what the readings of all known devices come to; undefined while none is known. */
function together(view: View, judge: Watching["judge"]): Judged | undefined {
  const known = view.readings("watched").filter((value) => value !== undefined);
  const judged = known.map((value) => judge(value, view));
  if (judged.length === 0) return undefined;
  const [decisive, other] =
    view.text("match") === "all" ? (["no", "yes"] as const) : (["yes", "no"] as const);
  if (judged.includes(decisive)) return decisive;
  return judged.includes("between") ? "between" : other;
}

function begin(view: View): readonly Effect[] {
  const scene = view.text("scene");
  const turned = turn(view.devices("targets"), !view.flag("invert"));
  return scene === "" ? turned : [...turned, { do: "scene", scene, on: true }];
}

/** Refuses a rule that would do nothing. */
function checkActs({ outputs, extras }: RuleConfig): Rejection | undefined {
  const isIdle = (outputs["targets"] ?? []).length === 0 && (extras["scene"] ?? []).length === 0;
  return isIdle ? reject("invalid", "targets or a scene are wanted", "outputs.targets") : undefined;
}

/** What a template of this kind has of its own. */
interface Watching extends Pick<Template, "configType" | "priority" | "icon" | "texts"> {
  /** What the watched attribute shows. */
  readonly shows: Shows;
  /** The fields of the condition. */
  readonly condition: Readonly<Record<string, ValueField>>;
  readonly judge: (value: unknown, view: View) => Judged;
}

/**
 * Declares a template that acts while a condition on any attribute holds, once it has held for a time. Devices that
 * nobody can reach are left out; while no reading is known, nothing changes. Its texts are those of the condition;
 * the shared fields bring their own.
 */
export function watching({ shows, condition, judge, texts, ...own }: Watching): Template {
  return template({
    ...own,
    version: 1,
    class: "RULE",
    level: true,
    inputs: { watched: watched("attribute", 1, 32) },
    outputs: { targets: devices(["ON_OFF", "VALVE", "FAN_MODE", "VU"], 0, 32) },
    extras: {
      attribute: attributeName(shows, { for: "watched" }),
      ...condition,
      match: option(["any", "all"], { for: "watched" }),
      forMs: duration(0, 0, 86_400_000),
      invert: flag(false, { for: "targets" }),
      scene: scenes(0, 1),
    },
    late: { late: "recheck" },
    check: checkActs,
    chart: chartOf(judge),
    texts: {
      en: withShared("en", texts),
      fi: withShared("fi", texts),
      sv: withShared("sv", texts),
      de: withShared("de", texts),
    },
  });
}

function withShared(language: Language, texts: Template["texts"]): TemplateTexts {
  const own = texts[language];
  return { ...own, fields: { ...watchingTexts[language], ...own.fields } };
}

function chartOf(judge: Watching["judge"]): Template["chart"] {
  return {
    context: {},
    initial: "resting",
    delays: { forMs: ({ event: { view } }) => view.number("forMs") },
    states: {
      resting: {
        idle: true,
        always: { guard: ({ event: { view } }) => together(view, judge) === "yes", target: "holding" },
      },
      holding: {
        always: { guard: ({ event: { view } }) => together(view, judge) === "no", target: "resting" },
        after: { forMs: { target: "acting" } },
      },
      acting: {
        entry: [out(({ event: { view } }) => begin(view))],
        always: {
          guard: ({ event: { view } }) => together(view, judge) === "no",
          target: "resting",
          actions: [out(({ event: { view } }) => turn(view.devices("targets"), view.flag("invert")))],
        },
      },
    },
  };
}
