import Type from "typebox";
import { resourceId } from "../model/resource-id.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { beginDeletion } from "./deletion.ts";
import { Failed } from "./errors.ts";
import { GraphOperation } from "./operation-object.ts";
import { row } from "./row.ts";
import { type ResourceTarget, resourcesIn } from "./tenancy-targets.ts";

/** A resource (platform-api 2.4). `properties` says the id of what it stands for. */
const GraphResource = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** The provider. */
  type: Type.String(),
  location: Type.String(),
  displayName: Type.String(),
  tags: Type.Record(Type.String(), Type.String()),
  properties: Type.Record(Type.String(), Type.String()),
});

/** Types about resources. */
export const resourceRows = [
  row({
    type: "ListResourceQuery",
    summary: "Lists the resources of a group; hubs for who may read them",
    scope: "resourceGroup",
    right: "R",
    fields: pageFields,
    result: pageOf(GraphResource),
    handle({ caller, fields, target, parts: { cloud, cursors } }) {
      const items = resourcesIn(target, caller, cloud).map((one) =>
        resourceObject({ ...target, resource: one }),
      );
      const placeOf = ({ name }: (typeof items)[number]) => ({ value: name.toLowerCase(), id: name });
      const { subscription, group } = target;
      return cursors.page({ name: `resources ${subscription.id} ${group.name}`, items, placeOf }, fields);
    },
  }),
  row({
    type: "GetResourceQuery",
    summary: "Returns a resource",
    scope: "resource",
    right: "R",
    result: { resource: GraphResource },
    handle: ({ target }) => ({ resource: resourceObject(target) }),
  }),
  row({
    type: "DeleteResourceCommand",
    summary: "Deletes a resource with all in it; a hub leaves with its owner only",
    scope: "resource",
    right: "A",
    result: { operation: GraphOperation },
    handle(call) {
      const { subscription, group, resource } = call.target;
      if (resource.provider === "Vendor.Hubs")
        return new Failed("E_WRONG_STATE", "a hub is there as long as you own it", { field: "resourceName" });
      const target = {
        subscriptionId: subscription.id,
        resourceGroupName: group.name,
        resourceName: resource.name,
      };
      return beginDeletion("DeleteResourceCommand", target, call);
    },
  }),
];

/** Returns a resource as its users see it. */
function resourceObject({
  subscription,
  group,
  resource,
}: ResourceTarget): Type.Static<typeof GraphResource> {
  const { name, provider, displayName, tags, itemId } = resource;
  return {
    id: resourceId(subscription.id, group.name, provider, name),
    name,
    type: provider,
    location: group.location,
    displayName,
    tags: { ...tags },
    properties: { [idNames[provider]]: itemId },
  };
}

const idNames = { "Vendor.Sites": "siteId", "Vendor.Hubs": "hubId" } as const;
