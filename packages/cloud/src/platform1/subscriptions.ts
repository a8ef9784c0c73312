import type { Result, Row1 } from "./row.ts";

const subscriptions = "/Subscriptions";
const subscription = `${subscriptions}/:subscriptionId`;
const groups = `${subscription}/ResourceGroups`;
const group = `${groups}/:resourceGroupName`;
const resource = `${group}/Providers/:resourceProvider/:resourceName`;

/** Returns the id of what a result has; it is a path. */
function idIn(result: Result, field: string): string {
  const { id } = result[field] as { readonly id: string };
  return id.split("/").map(encodeURIComponent).join("/");
}

function created(field: string): Pick<Row1, "answer" | "created" | "body"> {
  return { body: "message", answer: field, created: (result) => idIn(result, field) };
}

/** Subscriptions, resource groups and resources. */
export const subscriptionRows1: readonly Row1[] = [
  { method: "GET", path: subscriptions, type: "ListSubscriptionQuery", query: "page" },
  {
    method: "POST",
    path: subscriptions,
    type: "CreateSubscriptionCommand",
    inTenant: true,
    ...created("subscription"),
  },
  { method: "GET", path: subscription, type: "GetSubscriptionQuery", answer: "subscription" },
  { method: "DELETE", path: subscription, type: "DeleteSubscriptionCommand" },
  { method: "GET", path: groups, type: "ListResourceGroupQuery", query: "page" },
  { method: "POST", path: groups, type: "CreateResourceGroupCommand", ...created("resourceGroup") },
  { method: "GET", path: group, type: "GetResourceGroupQuery", answer: "resourceGroup" },
  { method: "DELETE", path: group, type: "DeleteResourceGroupCommand" },
  { method: "GET", path: `${group}/Resources`, type: "ListResourceQuery", query: "page" },
  { method: "POST", path: `${group}/Resources`, type: "CreateResourceCommand", ...created("resource") },
  { method: "GET", path: `${group}/Resources/:resourceName`, type: "GetResourceQuery", answer: "resource" },
  { method: "GET", path: resource, type: "GetResourceQuery", answer: "resource" },
  { method: "DELETE", path: resource, type: "DeleteResourceCommand" },
];
