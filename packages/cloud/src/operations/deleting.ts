import type { Cloud } from "../cloud.ts";
import { Failed, failedBy } from "../graph/errors.ts";
import { mayAdminister } from "../graph/tenancy-targets.ts";
import { named } from "../model/resource-id.ts";
import type { ResourceGroup, ResourceProvider, Subscription } from "../model/subscription.ts";
import { type AnyCommand, refusalOf } from "../model/submitting.ts";
import type { Work } from "./operations.ts";

/**
 * Makes the work of deleting a subscription, a resource group or a resource, with all below it. Each step is a
 * commit of its own; a restart goes on with what is left.
 */
export function deleting(cloud: Pick<Cloud, "kernel" | "tenancy">): Work {
  const { kernel, tenancy } = cloud;
  return async ({ owner, target }, { progress, signal }) => {
    await progress(0);
    let refusedStep = "";
    while (!signal.aborted) {
      const subscription = tenancy.subscription(target["subscriptionId"] ?? "");
      const commands = subscription && stepOf(target, subscription);
      if (commands === undefined) return {};
      if (!mayAdminister({ account: owner }, target, cloud))
        return new Failed("E_FORBIDDEN", "your role has ended");
      const refused = await refusalOf(kernel, `user:${owner}`, ...commands);
      const step = refused ? JSON.stringify(commands) : "";
      // Somebody else may have deleted it first, or have put something into it: then the next step is another.
      if (refused && step === refusedStep) return failedBy(refused);
      refusedStep = step;
    }
    return new Failed("E_BUSY", "the work was interrupted");
  };
}

/** Returns the commands that delete the next part of a target; undefined when nothing is left. */
function stepOf(
  { resourceGroupName, resourceName }: Readonly<Record<string, string>>,
  subscription: Subscription,
): AnyCommand[] | undefined {
  const { id, groups } = subscription;
  if (resourceGroupName === undefined) {
    const [first] = Object.values(groups);
    return first === undefined ? [{ type: "DELETE_SUBSCRIPTION", id }] : groupStep(id, first);
  }
  const group = named(groups, resourceGroupName);
  if (group === undefined) return undefined;
  if (resourceName === undefined) return groupStep(id, group);
  return named(group.resources, resourceName) && resourceStep(id, group, resourceName);
}

function groupStep(id: string, group: ResourceGroup): AnyCommand[] {
  const [first] = Object.values(group.resources);
  if (first !== undefined) return resourceStep(id, group, first.name);
  return [{ type: "DELETE_RESOURCE_GROUP", id, name: group.name }];
}

function resourceStep(id: string, group: ResourceGroup, name: string): AnyCommand[] {
  const resource = named(group.resources, name);
  const itemId = resource?.itemId;
  const deletion = resource === undefined ? [] : deletions[resource.provider];
  return [
    { type: "REMOVE_RESOURCE", id, group: group.name, name },
    ...deletion.map((type) => ({ type, id: itemId })),
  ];
}

/** The commands that delete what a resource stands for. */
const deletions: Readonly<Record<ResourceProvider, readonly string[]>> = {
  "Vendor.Sites": ["CLOSE_EGRESS", "DELETE_SITE"],
  "Vendor.DeviceRegister": ["DELETE_DEVICE_REGISTER"],
};
