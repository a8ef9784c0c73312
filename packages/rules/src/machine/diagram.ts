import type { Reader, Rejection, RuleDiagram } from "@ledge/model";
import { isRejection } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Template } from "../catalogue/template.ts";
import { withLine } from "../custom/installing.ts";
import { parseCustomRule } from "../custom/source.ts";
import type { StateNode, Transition } from "./chart.ts";

type Node = StateNode<object>;
type Path = readonly string[];
type State = RuleDiagram["states"][number];
type Arrow = RuleDiagram["transitions"][number];

/** A target by the state's full name, or a name below it. */
const absolute = /^#rule\.on\.?/;

/**
 * Returns the machine of a template.
 * @param standings state values of machines; their states are marked
 */
export function diagram({ chart, configType }: Template, standings: readonly unknown[] = []): RuleDiagram {
  const current = new Set(standings.flatMap((value) => statesIn(value, [])).map(idOf));
  const states: State[] = [];
  const transitions: Arrow[] = [
    { from: "off", to: "on", on: "rule.on", after: null, guard: null },
    { from: "on", to: "off", on: "rule.off", after: null, guard: null },
  ];
  const walk = (node: Node, path: Path, initial: boolean): void => {
    const id = idOf(path);
    const parent = path.length < 2 ? null : idOf(path.slice(0, -1));
    const name = path.at(-1) ?? "";
    states.push({ id, name, parent, initial, parallel: node.parallel === true, current: current.has(id) });
    for (const [inner, of] of Object.entries(node.states ?? {}))
      walk(of, [...path, inner], inner === node.initial);
    transitions.push(...arrows(node, path));
  };
  walk({}, ["off"], true);
  walk(chart, ["on"], false);
  return { type: "RULE_DIAGRAM", configType, states, transitions };
}

/** Returns the transitions out of a state, with their guards. */
function arrows({ on = {}, always = [], after = {} }: Node, path: Path): readonly Arrow[] {
  const causes = [
    ...Object.entries(on).map(([event, of]) => [{ on: event, after: null }, of] as const),
    ...Object.entries(after).map(([delay, of]) => [{ on: null, after: delayOf(delay) }, of] as const),
    [{ on: null, after: null }, always] as const,
  ];
  const from = idOf(path);
  return causes.flatMap(([cause, of]) =>
    [of].flat().map(({ guard, target }: Transition<object>) => {
      const to = target === undefined ? path : pathOf(target, path);
      const words = guard && (guard.name === "guard" ? "…" : guard.name);
      return { from, to: idOf(to), ...cause, guard: words ?? null };
    }),
  );
}

function pathOf(target: string, path: Path): Path {
  if (absolute.test(target)) return `on.${target.replace(absolute, "")}`.replace(/\.$/, "").split(".");
  const names = target.replace(/^\./, "").split(".");
  return target.startsWith(".") ? [...path, ...names] : [...path.slice(0, -1), ...names];
}

/** Returns the innermost active states. */
function statesIn(value: unknown, path: Path): readonly Path[] {
  if (typeof value === "string") return [[...path, value]];
  const entries = Object.entries(value ?? {});
  return entries.length === 0 ? [path] : entries.flatMap(([name, below]) => statesIn(below, [...path, name]));
}

function idOf(path: Path): string {
  return path.join(".");
}

function delayOf(delay: string): number | string {
  const ms = /^ms(\d+)$/.exec(delay);
  return ms === null ? delay.replace(/^cfg_/, "cfg.") : Number(ms[1]);
}

/** A rule that exists, a template, or the source of a custom rule. */
export type Drawable = { readonly ruleId: string } | { readonly type: string } | { readonly source: string };

/**
 * Returns the machine of a rule with its current states marked, or of a template or source; undefined when there
 * is none; why a source cannot be read, with path and line.
 */
export function ruleDiagram(
  catalogue: Catalogue,
  read: Pick<Reader, "get" | "all">,
  of: Drawable,
): RuleDiagram | Rejection | undefined {
  if ("source" in of) {
    const parsed = parseCustomRule(of.source);
    return isRejection(parsed) ? withLine(parsed, of.source) : diagram(parsed.template);
  }
  if ("type" in of) {
    const template = catalogue.template(of.type, read);
    return template && diagram(template);
  }
  const rule = read.get("rule", of.ruleId);
  const template = rule && catalogue.template(rule.config.configType, read);
  if (template === undefined) return undefined;
  const runs = [...read.all("ruleRun")].filter(([, run]) => run.rule === rule?.id);
  return diagram(template, runs.length === 0 ? ["off"] : runs.map(([, { value }]) => value));
}
