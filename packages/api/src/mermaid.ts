import type { RuleDiagram } from "@ledge/model";

type Transition = RuleDiagram["transitions"][number];

/** Returns a machine as a Mermaid stateDiagram-v2. */
export function mermaid({ states, transitions }: RuleDiagram): string {
  const lines = ["stateDiagram-v2"];
  const inside = (parent: string | null, isParallel: boolean, indent: string): void => {
    const inner = states.filter((state) => state.parent === parent);
    for (const { id } of inner.filter(({ initial }) => initial)) lines.push(`${indent}[*] --> ${idOf(id)}`);
    for (const [index, { id, name, parallel }] of inner.entries()) {
      if (isParallel && index > 0) lines.push(`${indent}--`);
      if (parent !== null) lines.push(`${indent}state "${name}" as ${idOf(id)}`);
      if (states.some((state) => state.parent === id)) {
        lines.push(`${indent}state ${idOf(id)} {`);
        inside(id, parallel, `${indent}  `);
        lines.push(`${indent}}`);
      }
      for (const arrow of transitions.filter(({ from }) => from === id))
        lines.push(`${indent}${drawn(arrow)}`);
    }
  };
  inside(null, false, "  ");
  const current = states.filter((state) => state.current).map(({ id }) => idOf(id));
  if (current.length > 0)
    lines.push(
      "  classDef current stroke-width:4px,font-weight:bold",
      `  class ${current.join(",")} current`,
    );
  return `${lines.join("\n")}\n`;
}

function drawn({ from, to, on, after, guard }: Transition): string {
  const cause = after === null ? on : `after ${typeof after === "number" ? `${after} ms` : after}`;
  const label = [cause, guard === null ? null : `[${guard}]`].filter((part) => part !== null).join(" ");
  const arrow = `${idOf(from)} --> ${idOf(to)}`;
  return label === "" ? arrow : `${arrow}: ${plain(label)}`;
}

/** Makes a label safe: without line ends, directives (`%%{`) and markup. */
function plain(label: string): string {
  const text = label.replaceAll(/[:;\p{Cc}\u2028\u2029]/gu, ",");
  return text.replaceAll(/%{2,}/g, "%").replaceAll(/<(?=[a-z/!])/gi, "< ");
}

/** Mermaid allows only letters, digits and `_` in the id of a state. */
function idOf(id: string): string {
  const name = id.replaceAll(/[^A-Za-z0-9.]/g, (letter) => `_${letter.charCodeAt(0).toString(16)}`);
  return name.replaceAll(".", "__");
}
