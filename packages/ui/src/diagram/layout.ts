// Places the states of a machine. The only file that knows the library for it, which comes when it is needed.
import { type Edge, type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from "@dagrejs/dagre";
import type { RuleDiagram } from "@ledge/model";

type State = RuleDiagram["states"][number];
type Transition = RuleDiagram["transitions"][number];

/** A state as it is drawn; x and y of its upper left corner, all in px. */
export interface Box {
  readonly id: string;
  readonly name: string;
  readonly isCurrent: boolean;
  /** It has states within it. */
  readonly isWhole: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A transition as it is drawn: its line, and where its text has its middle. */
export interface Arrow {
  readonly key: string;
  readonly text: string;
  readonly points: readonly Point[];
  readonly at: Point;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** Outer states before those within them. */
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

const height = 36;
const margin = 16;
/** Widths of a letter in px: of names, and of the smaller texts beside arrows. */
const letter = 9;
const smallLetter = 7;

/** Returns where states and transitions stand. @param textOf what stands beside a transition */
export function layoutOf(
  { states, transitions }: RuleDiagram,
  textOf: (transition: Transition) => string,
): Drawing {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 32, ranksep: 40, edgesep: 24, marginx: margin, marginy: margin });
  const wholes = new Set(states.flatMap(({ parent }) => parent ?? []));
  for (const { id, name } of states)
    graph.setNode(id, { width: Math.max(72, name.length * letter + 24), height });
  for (const { id, parent } of states) if (parent !== null) graph.setParent(id, parent);
  const leafOf = leaves(states);
  for (const [index, transition] of transitions.entries()) {
    const [from, to] = [leafOf(transition.from), leafOf(transition.to)];
    if (from === undefined || to === undefined) continue;
    const width = textOf(transition).length * smallLetter;
    graph.setEdge(from, to, { width, height: 20, labelpos: "c" }, String(index));
  }
  layout(graph);
  const placed = graph.graph();
  return {
    width: placed.width ?? 0,
    height: placed.height ?? 0,
    boxes: states.map((state) => boxOf(state, graph.node(state.id), wholes.has(state.id))),
    arrows: graph.edges().map((edge: Edge) => {
      const { points = [], x = 0, y = 0 } = graph.edge(edge);
      const transition = transitions[Number(edge.name)];
      const text = transition === undefined ? "" : textOf(transition);
      return { key: edge.name ?? "", text, points, at: { x, y } };
    }),
  };
}

function boxOf(state: State, node: NodeLabel, isWhole: boolean): Box {
  const { id, name, current: isCurrent } = state;
  const { x = 0, y = 0, width, height: tall } = node;
  return { id, name, isCurrent, isWhole, x: x - width / 2, y: y - tall / 2, width, height: tall };
}

/** The library draws no line to a state with states within it: it leads to the one that is entered first. */
function leaves(states: readonly State[]): (id: string) => string | undefined {
  const known = new Set(states.map(({ id }) => id));
  return (id) => {
    let at: string | undefined = known.has(id) ? id : undefined;
    for (;;) {
      const within = states.filter(({ parent }) => parent === at && at !== undefined);
      if (within.length === 0) return at;
      at = (within.find(({ initial }) => initial) ?? within[0])?.id;
    }
  };
}
