import assert from "node:assert/strict";
import { until } from "@ledge/testkit";
import type { Served } from "../http/test-served.ts";
import type { Operation } from "../model/operation.ts";

/** A resource that a test has created. */
export interface TestResource {
  readonly id: string;
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** The personal tenant of an account with a resource group `things`. */
export class TestTenant {
  readonly id: string;
  readonly token: string;
  readonly #served: Served;

  private constructor(served: Served, id: string, token: string) {
    this.#served = served;
    this.id = id;
    this.token = token;
  }

  static async open(served: Served, email: string): Promise<TestTenant> {
    const token = await served.logIn(email);
    const id = served.accountId(email);
    const tenant = new TestTenant(served, id, token);
    await tenant.send("CreateResourceGroupCommand", { subscriptionId: id, name: "things" });
    return tenant;
  }

  /** The fields that name the resource group. */
  get group(): { readonly subscriptionId: string; readonly resourceGroupName: string } {
    return { subscriptionId: this.id, resourceGroupName: "things" };
  }

  /** Sends a message that must succeed. @returns its result */
  async send(type: string, fields: object): Promise<Readonly<Record<string, unknown>>> {
    const result = await this.#served.graph(this.token, { type, ...fields });
    assert.equal(result.error, undefined, JSON.stringify(result));
    return result;
  }

  async create(name: string, provider: string): Promise<TestResource> {
    const { resource } = await this.send("CreateResourceCommand", { ...this.group, name, provider });
    return resource as TestResource;
  }

  /** Creates a device register. @returns its id */
  async createRegister(name: string): Promise<string> {
    return (await this.create(name, "Vendor.DeviceRegister")).properties["registerId"] ?? assert.fail();
  }

  /** Deletes a resource, and waits for the end. */
  async delete(resourceName: string): Promise<void> {
    const { operation } = await this.send("DeleteResourceCommand", { ...this.group, resourceName });
    await ended(this.#served, operation);
  }

  /** Logs an account in and gives it a role in the whole tenant. @returns its cloud token */
  async member(email: string, role: string): Promise<string> {
    const token = await this.#served.logIn(email);
    await this.assign(this.#served.accountId(email), role);
    return token;
  }

  /** Gives another account a role in a part of the tenant. */
  async assign(principal: string, role: string, scope: string = `/Tenant/${this.id}`): Promise<void> {
    await this.send("AssignRoleTenantCommand", { tenantId: this.id, scope, principal, role });
  }
}

/** Waits until an operation has succeeded. @returns it */
export async function ended(served: Served, begun: unknown): Promise<Operation> {
  const { operationId } = begun as { readonly operationId: string };
  const now = (): Operation | undefined => served.test.cloud.kernel.get("operation", operationId);
  await until("the end", () => now()?.state === "Succeeded" || now()?.state === "Failed");
  const operation = now() ?? assert.fail("the operation is gone");
  assert.equal(operation.state, "Succeeded", JSON.stringify(operation.error));
  return operation;
}
