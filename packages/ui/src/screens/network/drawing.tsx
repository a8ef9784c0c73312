import type { JSX } from "preact";
import type { NetworkLink } from "../../api/network.ts";
import { t } from "../../texts/texts.ts";
import { isWeak, nameOf, type Reach } from "../../parts/routes.ts";
import { type Place, placesOf } from "./places.ts";

/** Half of the square that is drawn, and the room for names around it. */
const half = 200;
const margin = 110;
/** More names than this cover each other. */
const mostNames = 60;

/** Turns a name along the line from the coordinator, so that names side by side do not cover each other. */
function alongLine({ x, y }: Place): { readonly transform: string; readonly anchor: "start" | "end" } {
  const degrees = (Math.atan2(y, x) * 180) / Math.PI;
  const isLeft = Math.abs(degrees) > 90;
  const turned = isLeft ? degrees + 180 : degrees;
  return { transform: `rotate(${turned.toFixed(1)})`, anchor: isLeft ? "end" : "start" };
}

/** The name of a node beside its circle. */
function Name({ reach, place }: { readonly reach: Reach; readonly place: Place }): JSX.Element {
  if (reach.hops === 0)
    return (
      <text y={-14} text-anchor="middle">
        {t("network.hub")}
      </text>
    );
  const { transform, anchor } = alongLine(place);
  return (
    <text transform={transform} x={anchor === "start" ? 10 : -10} dy="0.35em" text-anchor={anchor}>
      {nameOf(reach.node)}
    </text>
  );
}

/** The network as rings around its coordinator; the tree and the table say the same in words. */
export function Drawing(props: {
  readonly routes: ReadonlyMap<string, Reach>;
  readonly links: readonly NetworkLink[];
  readonly showsAll: boolean;
}): JSX.Element {
  const { routes, links, showsAll } = props;
  const places = placesOf(routes);
  const at = (ieee: string): Place | undefined => {
    const place = places.get(ieee);
    return place && { x: place.x * half, y: place.y * half };
  };
  const line = (key: string, from: string, to: string, look: string): JSX.Element | null => {
    const [a, b] = [at(from), at(to)];
    if (a === undefined || b === undefined) return null;
    return <line key={key} class={look} x1={a.x} y1={a.y} x2={b.x} y2={b.y} />;
  };
  const reached = [...routes.values()].filter(({ hops }) => hops !== null);
  const size = half + margin;
  return (
    <svg
      class="network"
      role="img"
      aria-label={t("network.drawn", { n: reached.filter(({ hops }) => hops !== 0).length })}
      viewBox={`${-size} ${-size} ${2 * size} ${2 * size}`}
    >
      {showsAll && links.map(({ from, to }) => line(`${from} ${to}`, from, to, "other"))}
      {reached.map((reach) =>
        reach.parent === null
          ? null
          : line(reach.node.ieee, reach.parent, reach.node.ieee, isWeak(reach) ? "way weak" : "way"),
      )}
      {reached.map((reach) => {
        const { node, hops } = reach;
        const place = at(node.ieee) ?? { x: 0, y: 0 };
        const isNamed = reached.length <= mostNames;
        return (
          <g key={node.ieee} transform={`translate(${place.x} ${place.y})`}>
            <circle r={hops === 0 ? 9 : 6} class={node.missing ? "node missing" : "node"} />
            {isNamed && <Name reach={reach} place={place} />}
            <title>{nameOf(node)}</title>
          </g>
        );
      })}
    </svg>
  );
}
