import type { ConfigurationItem } from "@ledge/model";
import { plainItem } from "@ledge/port";
import { nameAt, textOf } from "./item.ts";

/** A group of devices that a device commands or informs by itself. */
export interface AssociationGroup {
  readonly endpoint: number;
  readonly group: number;
  readonly label: string;
  readonly maxNodes: number;
  /** The hub is in it, and stays there. */
  readonly isLifeline: boolean;
}

/** A member of a group: a node, or one of its endpoints. */
export interface Target {
  readonly nodeId: number;
  readonly endpoint?: number;
}

const targetPattern = /^(\d{1,5})(?:\.(\d{1,3}))?$/;

/** Returns the name of a group's setting, such as `association.2`. */
export function associationName({ endpoint, group }: AssociationGroup): string {
  return nameAt(endpoint, `association.${group}`);
}

/** Returns a group as a setting: a list of nodes. */
export function associationItem(association: AssociationGroup): ConfigurationItem {
  const { group, label, maxNodes, isLifeline } = association;
  const own = textOf(label) ?? "";
  const named = own === "" || own === `Group ${group}` ? "" : `: ${own}`;
  const most = (count: number): string => (count > 0 ? String(count) : "?");
  return {
    ...plainItem,
    name: associationName(association),
    fieldType: "TEXT",
    label: {
      en: `Association group ${group}${named}`,
      fi: `Assosiaatioryhmä ${group}${named}`,
      sv: `Associationsgrupp ${group}${named}`,
      de: `Assoziationsgruppe ${group}${named}`,
    },
    help: {
      en: `Nodes that the device tells by itself, such as 5, 7.2 (endpoint 2 of node 7); at most ${most(maxNodes)}`,
      fi: `Solmut, joille laite kertoo itse, kuten 5, 7.2 (solmun 7 päätepiste 2); enintään ${most(maxNodes)}`,
      sv: `Noder som enheten själv meddelar, till exempel 5, 7.2 (ändpunkt 2 på nod 7); högst ${most(maxNodes)}`,
      de: `Knoten, denen das Gerät selbst etwas mitteilt, etwa 5, 7.2 (Endpunkt 2 von Knoten 7); höchstens ${most(maxNodes)}`,
    },
    readOnly: isLifeline,
  };
}

/** Returns the members of a group as a text. */
export function textOfTargets(targets: readonly Target[]): string {
  const ordered = targets.toSorted(
    (one, two) => one.nodeId - two.nodeId || (one.endpoint ?? -1) - (two.endpoint ?? -1),
  );
  return ordered
    .map(({ nodeId, endpoint }) => (endpoint === undefined ? `${nodeId}` : `${nodeId}.${endpoint}`))
    .join(", ");
}

/** Returns the members that a text lists, each once; undefined for a text that is no such list. */
export function targetsIn(text: string): readonly Target[] | undefined {
  if (text.trim() === "") return [];
  const targets: Target[] = [];
  for (const part of text.split(/[\s,]+/).filter((each) => each !== "")) {
    const [, nodeId, endpoint] = targetPattern.exec(part) ?? [];
    if (nodeId === undefined) return undefined;
    const target = { nodeId: Number(nodeId), ...(endpoint !== undefined && { endpoint: Number(endpoint) }) };
    if (!targets.some((other) => isSame(other, target))) targets.push(target);
  }
  return targets;
}

/** Whether two members are the same. */
export function isSame(one: Target, two: Target): boolean {
  return one.nodeId === two.nodeId && one.endpoint === two.endpoint;
}
