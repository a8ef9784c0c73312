import type { Kernel } from "@ledge/kernel";
import { isAccount } from "../model/account.ts";
import { isWithin, keyOf, tenantResourceId } from "../model/resource-id.ts";
import type { CloudStates } from "../model/states.ts";
import { personalSubscription, type Subscription } from "../model/subscription.ts";
import { personalTenant, roleEvents, type Tenant, type TenantRole } from "../model/tenant.ts";
import { InvertedIndex } from "../process/inverted-index.ts";
import { Gateways } from "./gateways.ts";

/** The rights that roles in tenants give, as `Right` of Graph. */
const granted: Readonly<Record<TenantRole, string>> = { reader: "R", contributor: "RCA", owner: "RCAO" };

/**
 * Reads tenants and subscriptions, the personal ones included, and who may do what there. Indexes of tenants by
 * account and of subscriptions by tenant, which would otherwise need a search through all states.
 */
export class Tenancy {
  readonly gateways: Gateways;
  readonly #kernel: Kernel<CloudStates>;
  readonly #tenants = new InvertedIndex();
  readonly #subscriptions = new InvertedIndex();
  readonly #end: () => void;

  constructor(kernel: Kernel<CloudStates>) {
    this.#kernel = kernel;
    this.gateways = new Gateways(kernel);
    for (const [id] of kernel.all("tenant")) this.#putTenant(id);
    for (const [id] of kernel.all("subscription")) this.#putSubscription(id);
    this.#end = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events) {
          if (roleEvents.has(type)) this.#putTenant(id);
          else if (type === "SubscriptionCreated" || type === "SubscriptionDeleted")
            this.#putSubscription(id);
        }
      },
    });
  }

  stop(): void {
    this.gateways.stop();
    this.#end();
  }

  /** Returns a tenant; undefined when there is none. */
  tenant(id: string): Tenant | undefined {
    const kernel = this.#kernel;
    if (isForgotten(id, kernel)) return undefined;
    return kernel.get("tenant", id) ?? (isAccount(id, kernel) ? personalTenant(id) : undefined);
  }

  /** Returns the tenants in which an account has a role, its personal one first. */
  tenantsOf(account: string): Tenant[] {
    const ids = [account, ...this.#tenants.under(account)];
    return [...new Set(ids)].flatMap((id) => this.tenant(id) ?? []);
  }

  /** Returns the accounts that own the whole of a tenant. */
  ownersOf(id: string): string[] {
    const whole = keyOf(tenantResourceId(id));
    const owning = (this.tenant(id)?.roles ?? []).filter(
      ({ scope, role }) => role === "owner" && keyOf(scope) === whole,
    );
    const personal = isAccount(id, this.#kernel) ? [id] : [];
    return [...personal, ...owning.map(({ principal }) => principal)];
  }

  /** Returns the tenant whose subscriptions an account lists. */
  activeTenantOf(account: string): string {
    const chosen = this.#kernel.get("account", account)?.activeTenant ?? account;
    return this.tenantsOf(account).some(({ id }) => id === chosen) ? chosen : account;
  }

  /** Returns a subscription; undefined when there is none. */
  subscription(id: string): Subscription | undefined {
    const kernel = this.#kernel;
    if (isForgotten(id, kernel)) return undefined;
    const held = kernel.get("subscription", id);
    return held ?? (isAccount(id, kernel) ? personalSubscription(id) : undefined);
  }

  /** Returns the subscriptions of a tenant. */
  subscriptionsOf(tenant: string): Subscription[] {
    const ids = new Set(this.#subscriptions.under(tenant));
    if (isAccount(tenant, this.#kernel)) ids.add(tenant);
    return [...ids].flatMap((id) => this.subscription(id) ?? []);
  }

  /** Returns the ids of the subscriptions in all tenants of an account. */
  subscriptionIdsOf(account: string): string[] {
    return this.tenantsOf(account).flatMap(({ id }) => this.subscriptionsOf(id).map((one) => one.id));
  }

  /**
   * Returns the rights of an account to a part of a tenant: some of `RCAO`, or "".
   * @param id of the part, as in `model/resource-id.ts`
   */
  rightsTo(account: string, tenantId: string, id: string): string {
    if (account === tenantId) return granted.owner;
    let rights = "";
    for (const { scope, principal, role } of this.tenant(tenantId)?.roles ?? []) {
      const counts = principal === account && isAbove(scope, tenantId, id);
      if (counts && granted[role].length > rights.length) rights = granted[role];
    }
    return rights;
  }

  #putTenant(id: string): void {
    const roles = this.#kernel.get("tenant", id)?.roles ?? [];
    this.#tenants.put(
      id,
      roles.map(({ principal }) => principal),
    );
  }

  #putSubscription(id: string): void {
    const held = this.#kernel.get("subscription", id);
    this.#subscriptions.put(id, held === undefined ? [] : [held.tenant]);
  }
}

/** Returns whether a role's scope holds for a part: a role in the whole tenant holds for all of it. */
function isAbove(scope: string, tenantId: string, id: string): boolean {
  return isWithin(scope, `/Tenant/${tenantId}`) || isWithin(id, scope);
}

function isForgotten(id: string, kernel: Pick<Kernel<CloudStates>, "get">): boolean {
  return kernel.get("account", id)?.forgotten === true;
}
