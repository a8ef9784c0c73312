import Type from "typebox";
import { subscriptionResourceId } from "../model/resource-id.ts";
import { isPersonal, type Subscription } from "../model/subscription.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { beginDeletion } from "./deletion.ts";
import { Failed } from "./errors.ts";
import { GraphOperation } from "./operation-object.ts";
import { row } from "./row.ts";
import { failureOf } from "./submitting.ts";
import { NewTags } from "./tags.ts";
import { DisplayName } from "./tenant-rows.ts";

/** A subscription (platform-api 2.4). */
const GraphSubscription = Type.Object({
  id: Type.String(),
  subscriptionId: Type.String(),
  displayName: Type.String(),
  tags: Type.Record(Type.String(), Type.String()),
});

/** Types about the subscriptions of tenants. */
export const subscriptionRows = [
  row({
    type: "ListSubscriptionQuery",
    summary:
      "Lists the subscriptions of the tenant in which the caller works, as far as the caller may read them",
    scope: "caller",
    right: "R",
    fields: pageFields,
    result: pageOf(GraphSubscription),
    handle({ caller, fields, parts: { cloud, cursors } }) {
      const { tenancy } = cloud;
      const { account } = caller;
      const tenant = caller.tenant ?? tenancy.activeTenantOf(account);
      const readable = ({ id }: Subscription): boolean =>
        tenancy.rightsTo(account, tenant, subscriptionResourceId(id)).includes("R");
      const items = tenancy.subscriptionsOf(tenant).filter(readable).map(subscriptionObject);
      const placeOf = ({ subscriptionId: id }: (typeof items)[number]) => ({ value: id, id });
      return cursors.page({ name: `subscriptions ${tenant}`, items, placeOf }, fields);
    },
  }),
  row({
    type: "GetSubscriptionQuery",
    summary: "Returns a subscription",
    scope: "subscription",
    right: "R",
    result: { subscription: GraphSubscription },
    handle: ({ target }) => ({ subscription: subscriptionObject(target.subscription) }),
  }),
  row({
    type: "CreateSubscriptionCommand",
    summary: "Creates a subscription in a tenant",
    scope: "tenant",
    right: "A",
    addsToLog: true,
    fields: { displayName: DisplayName, tags: NewTags },
    result: { subscription: GraphSubscription },
    async handle(call) {
      const { displayName, tags = {} } = call.fields;
      const id = call.parts.newId();
      const { id: tenant } = call.target.tenant;
      const failed = await failureOf(call, { type: "CREATE_SUBSCRIPTION", id, tenant, displayName, tags });
      return failed ?? { subscription: subscriptionObject({ id, about: { displayName, tags } }) };
    },
  }),
  row({
    type: "DeleteSubscriptionCommand",
    summary: "Deletes a subscription with all in it",
    scope: "subscription",
    right: "O",
    result: { operation: GraphOperation },
    handle(call) {
      const { subscription } = call.target;
      if (isPersonal(subscription))
        return new Failed("E_WRONG_STATE", "a personal subscription stays", { field: "subscriptionId" });
      return beginDeletion("DeleteSubscriptionCommand", { subscriptionId: subscription.id }, call);
    },
  }),
];

function subscriptionObject({
  id,
  about: { displayName, tags },
}: Pick<Subscription, "id" | "about">): Type.Static<typeof GraphSubscription> {
  return { id: subscriptionResourceId(id), subscriptionId: id, displayName, tags: { ...tags } };
}
