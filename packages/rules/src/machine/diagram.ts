import type { Reader } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { StateNode, Transition } from "./chart.ts";
import type { Template } from "../catalogue/template.ts";

type Node = StateNode<object>;
type Path = readonly string[];

/** A target by the state's full name, or a name below it. */
const absolute = /^#rule\.on\.?/;

/**
 * Returns the machine of a template as a Mermaid stateDiagram-v2.
 * @param standings state values of machines; their states are marked
 */
export function diagram({ chart }: Template, standings: readonly unknown[] = []): string {
  const top: Node = chart;
  const lines = ["stateDiagram-v2", "  [*] --> off", "  off --> on: rule.on", "  on --> off: rule.off"];
  lines.push("  state on {", ...inside(top, [], "    "), "  }", ...arrows(top, [], "  "));
  const current = new Set(standings.flatMap((value) => statesIn(value, [])).map(idOf));
  if (current.size > 0)
    lines.push(
      "  classDef current stroke-width:4px,font-weight:bold",
      `  class ${[...current].join(",")} current`,
    );
  return `${lines.join("\n")}\n`;
}

function inside({ states = {}, initial, parallel }: Node, path: Path, indent: string): readonly string[] {
  const lines = initial === undefined ? [] : [`${indent}[*] --> ${idOf(["on", ...path, initial])}`];
  const regions = Object.entries(states).map(([name, node]) => {
    const here = [...path, name];
    const id = idOf(["on", ...here]);
    const named = [`${indent}state "${name}" as ${id}`];
    if (node.states === undefined) return [...named, ...arrows(node, here, indent)];
    const block = [`${indent}state ${id} {`, ...inside(node, here, `${indent}  `), `${indent}}`];
    return [...named, ...block, ...arrows(node, here, indent)];
  });
  for (const [index, region] of regions.entries()) {
    if (parallel && index > 0) lines.push(`${indent}--`);
    lines.push(...region);
  }
  return lines;
}

/** Returns the transitions out of a state, with their guards. */
function arrows({ on = {}, always = [], after = {} }: Node, path: Path, indent: string): readonly string[] {
  const events = [
    ...Object.entries(on).map(([event, of]) => [event, of] as const),
    ...Object.entries(after).map(([delay, of]) => [`after ${delayText(delay)}`, of] as const),
    ["", always] as const,
  ];
  const from = idOf(["on", ...path]);
  return events.flatMap(([event, of]) =>
    [of].flat().map((transition: Transition<object>) => {
      const { guard, target } = transition;
      const to = target === undefined ? path : pathOf(target, path);
      const held = guard === undefined ? "" : `[${guard.name === "guard" ? "…" : guard.name}]`;
      const label = [event, held].filter((part) => part !== "").join(" ");
      const arrow = `${indent}${from} --> ${idOf(["on", ...to])}`;
      return label === "" ? arrow : `${arrow}: ${plain(label)}`;
    }),
  );
}

/** Makes a label safe: without line ends, directives (`%%{`) and markup. */
function plain(label: string): string {
  const text = label.replaceAll(/[:;\p{Cc}\u2028\u2029]/gu, ",");
  return text.replaceAll(/%{2,}/g, "%").replaceAll(/<(?=[a-z/!])/gi, "< ");
}

function pathOf(target: string, path: Path): Path {
  if (absolute.test(target)) return target.replace(absolute, "").split(".");
  const names = target.replace(/^\./, "").split(".");
  return target.startsWith(".") ? [...path, ...names] : [...path.slice(0, -1), ...names];
}

/** Returns the innermost active states. */
function statesIn(value: unknown, path: Path): readonly Path[] {
  if (typeof value === "string") return [[...path, value]];
  const entries = Object.entries(value ?? {});
  return entries.length === 0 ? [path] : entries.flatMap(([name, below]) => statesIn(below, [...path, name]));
}

/** Mermaid allows only letters, digits and `_` in the id of a state. */
function idOf(path: Path): string {
  const name = path
    .join(".")
    .replaceAll(/[^A-Za-z0-9.]/g, (letter) => `_${letter.charCodeAt(0).toString(16)}`);
  return name.replaceAll(".", "__");
}

function delayText(delay: string): string {
  const ms = /^ms(\d+)$/.exec(delay);
  return ms === null ? delay.replace(/^cfg_/, "cfg.") : `${ms[1]} ms`;
}

/** Returns the diagram of a rule with its current states marked, or of a template; undefined when there is none. */
export function ruleDiagram(
  catalogue: Catalogue,
  read: Pick<Reader, "get" | "all">,
  of: { readonly ruleId: string } | { readonly type: string },
): string | undefined {
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
