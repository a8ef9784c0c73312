import { limits } from "@ledge/model";
import Type from "typebox";
import { groupResourceId, keyOf } from "../model/resource-id.ts";
import { hubsGroup, isPersonal, type ResourceGroup } from "../model/subscription.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { beginDeletion } from "./deletion.ts";
import { Failed } from "./errors.ts";
import { GraphOperation } from "./operation-object.ts";
import { row } from "./row.ts";
import { failureOf } from "./submitting.ts";
import { NewTags } from "./tags.ts";
import { groupsIn } from "./tenancy-targets.ts";

/** A resource group (platform-api 2.4). */
const GraphResourceGroup = Type.Object({
  id: Type.String(),
  name: Type.String(),
  location: Type.String(),
  tags: Type.Record(Type.String(), Type.String()),
});

/** A name in paths: of a resource group or a resource (platform-api 2.4). */
export const ResourceName = Type.String({
  minLength: limits.resourceNameMinChars,
  maxLength: limits.resourceNameMaxChars,
});

/** Types about resource groups. */
export const resourceGroupRows = [
  row({
    type: "ListResourceGroupQuery",
    summary: "Lists the resource groups of a subscription",
    scope: "subscription",
    right: "R",
    fields: pageFields,
    result: pageOf(GraphResourceGroup),
    handle({ fields, target: { subscription }, parts: { cursors } }) {
      const items = groupsIn(subscription).map((group) => groupObject(subscription.id, group));
      const placeOf = ({ name }: (typeof items)[number]) => ({ value: keyOf(name), id: name });
      return cursors.page({ name: `groups ${subscription.id}`, items, placeOf }, fields);
    },
  }),
  row({
    type: "GetResourceGroupQuery",
    summary: "Returns a resource group",
    scope: "resourceGroup",
    right: "R",
    result: { resourceGroup: GraphResourceGroup },
    handle: ({ target: { subscription, group } }) => ({ resourceGroup: groupObject(subscription.id, group) }),
  }),
  row({
    type: "CreateResourceGroupCommand",
    summary: "Creates a resource group; its name is unique in the subscription, without case",
    scope: "subscription",
    right: "A",
    addsToLog: true,
    fields: {
      name: ResourceName,
      location: Type.Optional(Type.String({ maxLength: limits.locationChars })),
      tags: NewTags,
    },
    result: { resourceGroup: GraphResourceGroup },
    async handle(call) {
      const { name, location = "", tags = {} } = call.fields;
      const { id } = call.target.subscription;
      const failed = await failureOf(call, { type: "CREATE_RESOURCE_GROUP", id, name, location, tags });
      return failed ?? { resourceGroup: groupObject(id, { name, location, tags }) };
    },
  }),
  row({
    type: "DeleteResourceGroupCommand",
    summary: "Deletes a resource group with all in it",
    scope: "resourceGroup",
    right: "A",
    result: { operation: GraphOperation },
    handle(call) {
      const { subscription, group } = call.target;
      if (isPersonal(subscription) && group.name === hubsGroup)
        return new Failed("E_WRONG_STATE", "the group of your hubs stays", { field: "resourceGroupName" });
      const target = { subscriptionId: subscription.id, resourceGroupName: group.name };
      return beginDeletion("DeleteResourceGroupCommand", target, call);
    },
  }),
];

function groupObject(
  subscription: string,
  { name, location, tags }: Omit<ResourceGroup, "resources">,
): Type.Static<typeof GraphResourceGroup> {
  return { id: groupResourceId(subscription, name), name, location, tags: { ...tags } };
}
