import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TestCloud } from "../testdata/open-cloud.ts";
import { tenantsOf } from "./tenants.ts";

let world: TestCloud;
before(async () => {
  world = await TestCloud.open();
});
after(() => world.remove());

test("lists the owners of a whole tenant, in whatever case their roles name it", async () => {
  const { cloud } = world;
  const idOf = async (email: string): Promise<string> => {
    await world.logIn(email);
    return cloud.directory.accountOf(email)?.id ?? assert.fail();
  };
  const [ada, bob, cara] = [
    await idOf("ada@a.example"),
    await idOf("bob@a.example"),
    await idOf("c@a.example"),
  ];
  const assign = { type: "ASSIGN_ROLE", id: "acme", scope: "/tenant/acme" };
  const commands = [
    { type: "CREATE_TENANT", id: "acme", displayName: "Acme", owner: ada },
    { ...assign, principal: bob, role: "owner" },
    { ...assign, principal: cara, role: "contributor" },
  ];
  assert.ok((await cloud.kernel.submit({ commands, origin: "console" })).accepted);
  const found = tenantsOf(cloud).map(({ id, owners, roles }) => ({ id, owners, roles }));
  assert.deepEqual(found, [{ id: "acme", owners: [ada, bob], roles: 3 }]);
});
