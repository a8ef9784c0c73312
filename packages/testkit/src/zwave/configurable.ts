import {
  AssociationCCGet,
  AssociationCCRemove,
  AssociationCCReport,
  AssociationCCSet,
  AssociationCCSupportedGroupingsGet,
  AssociationCCSupportedGroupingsReport,
  ConfigurationCCSet,
} from "@zwave-js/cc";
import { CommandClasses } from "@zwave-js/core";
import { ccCaps, type MockNodeBehavior } from "@zwave-js/testing";
import { lamp } from "./devices.ts";
import type { NodePlan } from "./node-plan.ts";

/** The parameters of the model by number: bytes and default (McoHome MH-DT311, its manual). */
const parameters: readonly (readonly [number: number, bytes: number, usual: number])[] = [
  [1, 1, 1],
  [2, 1, 1],
  [3, 1, 1],
  [4, 1, 10],
  [5, 1, 1],
  [6, 1, 99],
  [7, 2, 3],
  [8, 1, 1],
  [9, 2, 3],
  [10, 1, 1],
  [11, 1, 0],
  [12, 1, 10],
  [13, 1, 0],
  [14, 1, 0],
  [15, 1, 0],
  [16, 2, 16],
  [17, 1, 1],
  [32, 2, 0],
  [33, 2, 0],
  [34, 2, 2000],
  [35, 1, 20],
  [36, 1, 0],
  [64, 2, 230],
  [65, 2, 0],
  [66, 2, 0],
  [67, 1, 0],
  [255, 1, 0],
];
/** The number of a parameter whose new values it does not keep, although it accepts them. */
const stubborn = 10;
const groupCount = 8;
const membersPerGroup = 5;

/**
 * A dimmer of a model in the library's device database (McoHome MH-DT311): with options, parameters of several parts, values
 * that can only be read, and groups. It accepts a new value of parameter 10 and keeps the old one.
 */
export function dimmerWithSettings(): NodePlan {
  const { capabilities } = lamp();
  return {
    capabilities: {
      ...capabilities,
      manufacturerId: 0x015f,
      productType: 0xd311,
      productId: 0x5102,
      commandClasses: [
        ...(capabilities.commandClasses ?? []),
        ccCaps({
          ccId: CommandClasses.Configuration,
          version: 1,
          parameters: parameters.map(([number, valueSize, defaultValue]) => ({
            "#": number,
            valueSize,
            defaultValue,
          })),
        }),
        { ccId: CommandClasses.Association, version: 2 },
      ],
    },
    behaviours: [keepsParameter(stubborn), associations()],
  };
}

function keepsParameter(number: number): MockNodeBehavior {
  return {
    handleCC(_controller, _node, asked) {
      const isIt = asked instanceof ConfigurationCCSet && asked.parameter === number;
      return isIt ? { action: "ok" } : undefined;
    },
  };
}

/** Groups of nodes (SDS13782, Association). */
function associations(): MockNodeBehavior {
  const groups = new Map<number, Set<number>>();
  const membersOf = (group: number): Set<number> => {
    const members = groups.get(group) ?? new Set();
    groups.set(group, members);
    return members;
  };
  return {
    handleCC({ ownNodeId: nodeId }, _node, asked) {
      if (asked instanceof AssociationCCSupportedGroupingsGet) {
        return { action: "sendCC", cc: new AssociationCCSupportedGroupingsReport({ nodeId, groupCount }) };
      }
      if (asked instanceof AssociationCCGet) {
        const { groupId } = asked;
        const nodeIds = [...membersOf(groupId)];
        const report = { nodeId, groupId, nodeIds, maxNodes: membersPerGroup, reportsToFollow: 0 };
        return { action: "sendCC", cc: new AssociationCCReport(report) };
      }
      if (asked instanceof AssociationCCSet) {
        const members = membersOf(asked.groupId);
        for (const each of asked.nodeIds) members.add(each);
        return members.size > membersPerGroup ? { action: "fail" } : { action: "ok" };
      }
      if (!(asked instanceof AssociationCCRemove)) return undefined;
      for (const each of asked.nodeIds ?? []) membersOf(asked.groupId ?? 0).delete(each);
      return { action: "ok" };
    },
  };
}
