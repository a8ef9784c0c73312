import type { JSX } from "preact";
import type { NetworkLink } from "../../api/network.ts";
import { t } from "../../texts/texts.ts";
import { isWeak, nameOf, placesOf, type Reach } from "./routes.ts";

/** Half of the square that is drawn, and the room for names around it. */
const half = 200;
const margin = 60;
/** More names than this cover each other. */
const mostNames = 60;

/** The network as rings around its coordinator; the tree and the table say the same in words. */
export function Drawing(props: {
  readonly routes: ReadonlyMap<string, Reach>;
  readonly links: readonly NetworkLink[];
  readonly showsAll: boolean;
}): JSX.Element {
  const { routes, links, showsAll } = props;
  const places = placesOf(routes);
  const at = (ieee: string): { x: number; y: number } | undefined => {
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
      aria-label={t("network.drawn", { n: reached.length })}
      viewBox={`${-size} ${-size} ${2 * size} ${2 * size}`}
    >
      {showsAll && links.map(({ from, to }) => line(`${from} ${to}`, from, to, "other"))}
      {reached.map((reach) =>
        reach.parent === null
          ? null
          : line(reach.node.ieee, reach.parent, reach.node.ieee, isWeak(reach) ? "way weak" : "way"),
      )}
      {reached.map(({ node, hops }) => {
        const place = at(node.ieee);
        const isNamed = reached.length <= mostNames;
        return (
          <g key={node.ieee} transform={`translate(${place?.x ?? 0} ${place?.y ?? 0})`}>
            <circle r={hops === 0 ? 9 : 6} class={node.missing ? "node missing" : "node"} />
            {isNamed && (
              <text y={-10} text-anchor="middle">
                {hops === 0 ? t("network.hub") : nameOf(node)}
              </text>
            )}
            <title>{nameOf(node)}</title>
          </g>
        );
      })}
    </svg>
  );
}
