import type { JSX } from "preact";
import type { RuleDiagram } from "@ledge/model";
import { t } from "../texts/texts.ts";
import { type Arrow, type Box, layoutOf } from "./layout.ts";

type Transition = RuleDiagram["transitions"][number];

const longest = 40;

/** Returns what causes a transition, in words. */
function causeOf({ on, after, guard }: Transition): string {
  const time = typeof after === "number" ? `${after / 1000} s` : after;
  const cause = time === null ? (on ?? "") : t("diagram.after", { time });
  return [cause, ...(guard === null ? [] : [`[${guard}]`])].filter((part) => part !== "").join(" ");
}

function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

function Line({ arrow: { points, text, at } }: { readonly arrow: Arrow }): JSX.Element {
  const path = points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
  return (
    <g class="arrow">
      <path d={path} marker-end="url(#arrow)" />
      <text x={at.x} y={at.y + 4} text-anchor="middle">
        {text}
      </text>
    </g>
  );
}

function StateBox({ box }: { readonly box: Box }): JSX.Element {
  const { name, isCurrent, isWhole, x, y, width, height } = box;
  return (
    <g class={isCurrent ? "state current" : "state"}>
      <rect x={x} y={y} width={width} height={height} rx={isWhole ? 14 : 8} />
      <text
        x={isWhole ? x + 10 : x + width / 2}
        y={isWhole ? y + 18 : y + height / 2 + 5}
        text-anchor={isWhole ? "start" : "middle"}
      >
        {name}
      </text>
    </g>
  );
}

/** The same in words, for those who do not see the drawing. */
function InWords({ of: { states, transitions } }: { readonly of: RuleDiagram }): JSX.Element {
  const current = states.filter((state) => state.current).map(({ id }) => id);
  return (
    <details>
      <summary>{t("diagram.inWords")}</summary>
      {current.length > 0 && <p>{t("diagram.current", { states: current.join(", ") })}</p>}
      <ul class="readings">
        {transitions.map((transition, index) => (
          // Two may be equal.
          <li key={index}>{`${transition.from} → ${transition.to}: ${causeOf(transition)}`}</li>
        ))}
      </ul>
    </details>
  );
}

/** The machine of a rule as a drawing; the states in which it stands are bold. */
export function Diagram({ of, label }: { readonly of: RuleDiagram; readonly label: string }): JSX.Element {
  const { width, height, boxes, arrows } = layoutOf(of, (transition) => shortened(causeOf(transition)));
  return (
    <>
      {/* It scrolls, so it takes the focus for the arrow keys. */}
      <div class="diagram" role="region" aria-label={label} tabIndex={0}>
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 10 10"
              refX="9"
              refY="5"
              markerWidth="7"
              markerHeight="7"
              orient="auto-start-reverse"
            >
              <path d="M0 0 10 5 0 10z" />
            </marker>
          </defs>
          {boxes.map((box) => (
            <StateBox key={box.id} box={box} />
          ))}
          {arrows.map((arrow) => (
            <Line key={arrow.key} arrow={arrow} />
          ))}
        </svg>
      </div>
      <InWords of={of} />
    </>
  );
}
