import { toBase32 } from "@ledge/link";
import { limits } from "@ledge/model";
import Type from "typebox";
import { resourceId } from "../model/resource-id.ts";
import { openSchema } from "../model/site-schema.ts";
import { resourceProviders } from "../model/subscription.ts";
import type { AnyCommand } from "../model/submitting.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { beginDeletion } from "./deletion.ts";
import { Failed, invalidFields } from "./errors.ts";
import { GraphOperation } from "./operation-object.ts";
import type { GraphParts } from "./parts.ts";
import { ResourceName } from "./resource-group-rows.ts";
import { type GraphCall, row } from "./row.ts";
import { NewSite, usualProperties } from "./site-object.ts";
import { failureOf } from "./submitting.ts";
import { NewTags } from "./tags.ts";
import { providerNamed, type ResourceTarget, resourcesIn } from "./tenancy-targets.ts";

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
    type: "CreateResourceCommand",
    summary:
      "Creates a resource in a group: a site (`Vendor.Sites`) or a device register (`Vendor.DeviceRegister`)",
    scope: "resourceGroup",
    right: "A",
    addsToLog: true,
    fields: {
      name: ResourceName,
      provider: Type.String({ minLength: 1, maxLength: limits.resourceNameMaxChars }),
      tags: NewTags,
      init: Type.Optional(Type.Union([NewSite, Type.Null()])),
    },
    result: { resource: GraphResource },
    handle: createResource,
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

interface NewResource {
  readonly name: string;
  readonly provider: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly init?: Type.Static<typeof NewSite> | null;
}

/** Creates a resource and the site or register that it stands for, or neither. */
async function createResource(
  call: GraphCall<"resourceGroup", NewResource>,
): Promise<{ resource: Type.Static<typeof GraphResource> } | Failed> {
  const { name, provider: asked, tags = {}, init } = call.fields;
  const { subscription, group } = call.target;
  const provider = providerNamed(asked);
  if (provider === undefined)
    return invalidFields([{ field: "provider", message: `must be one of ${resourceProviders.join(", ")}` }]);
  const displayName = init?.displayName ?? name;
  const itemId = idLike(name, call.parts);
  const { id } = subscription;
  const resource = { group: group.name, name, provider, displayName, tags, itemId };
  const place = { subscription: id, group: group.name, name };
  const item = provider === "Vendor.Sites" ? newSite(init ?? {}) : { type: "CREATE_DEVICE_REGISTER" };
  const failed = await failureOf(
    call,
    { type: "ADD_RESOURCE", id, ...resource },
    { ...item, id: itemId, place, displayName },
  );
  return failed ?? { resource: resourceObject({ subscription, group, resource }) };
}

function newSite({ attributes, properties, schema = openSchema }: Type.Static<typeof NewSite>): AnyCommand {
  const about = { attributes: attributes ?? [], properties: { ...usualProperties, ...properties }, schema };
  return { type: "CREATE_SITE", ...about };
}

/** Returns a new id that shows a name: its letters and digits, and 8 letters and digits at random. */
function idLike(name: string, { random }: Pick<GraphParts, "random">): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return [slug, toBase32(random(5)).toLowerCase()].filter((part) => part !== "").join("-");
}

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

const idNames = {
  "Vendor.Sites": "siteId",
  "Vendor.DeviceRegister": "registerId",
  "Vendor.Hubs": "hubId",
} as const;
