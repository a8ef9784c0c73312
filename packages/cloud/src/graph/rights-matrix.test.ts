// Who may do what where the other matrices do not look: what is about the caller, about clients and about operations,
// and programs beside people with the same role.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Message, Served } from "../http/test-served.ts";
import { type OAuthScope, platformScopes } from "../model/oauth-scopes.ts";
import type { MadeClient } from "../oauth/clients.ts";
import { makeClient, ownToken, redirectUri, startServed, tokensFor } from "../oauth/test-flow.ts";
import { accepted } from "../testdata/open-cloud.ts";
import type { Row } from "./row.ts";
import { graphRows } from "./rows.ts";
import { targetFields } from "./targets.ts";
import { leastMessage } from "./test-messages.ts";
import { rightTo } from "./test-rights.ts";
import { ended, TestTenant } from "./test-tenant.ts";

/** The file that tries all types about each kind of target. */
const matrices: Readonly<Record<string, string>> = {
  hub: "access",
  register: "access, tenancy-access, register-access",
  gateway: "access, register-access",
  tenant: "tenancy-access",
  anyTenant: "tenancy-access",
  subscription: "tenancy-access",
  resourceGroup: "tenancy-access",
  resource: "tenancy-access",
  site: "tenancy-access",
  caller: "rights-matrix",
  client: "rights-matrix",
  operation: "rights-matrix",
};

test("each kind of target stands in a matrix", () => {
  assert.deepEqual(Object.keys(matrices).toSorted(), Object.keys(targetFields).toSorted());
});

const everything = platformScopes.filter((scope) => scope !== "internal");
const gives = { reader: "R", contributor: "RCA", owner: "RCAO" } as const;
type Role = keyof typeof gives;
const roleNames = Object.keys(gives) as Role[];

let served: Served;
let tenant: TestTenant;
let hubId: string;
let operationId: string;
/** A client in the owner's tenant. */
let client: MadeClient;
/** A client of another tenant. */
let program: MadeClient;
/** Tokens of callers by who they are; the owner's access token `bound` is bound to the personal tenant. */
const tokens = new Map<string, string>();
const tokenOf = (who: string): string => tokens.get(who) ?? assert.fail(who);

before(async () => {
  served = await startServed();
  tenant = await TestTenant.open(served, "owner@example.org");
  ({
    hub: { id: hubId },
  } = await served.claimed("owner@example.org"));
  client = await newClient(["platform.read"]);
  program = await makeClient(served, "elsewhere@example.org", everything);
  tokens.set("owner", tenant.token).set("stranger", await served.logIn("stranger@example.org"));
  tokens.set("elsewhere", await served.logIn("elsewhere@example.org"));
  for (const role of roleNames)
    tokens.set(`some ${role}`, await tenant.member(`${role}@tenant.example`, role));
  const { access_token } = await tokensFor(
    served,
    await newClient(everything),
    "owner@example.org",
    everything.join(" "),
  );
  tokens.set("bound", `Bearer ${access_token}`);
  tokens.set("itself", `Bearer ${await ownToken(served.base, client, "platform.read")}`);
  await tenant.send("CreateResourceGroupCommand", { subscriptionId: tenant.id, name: "gone" });
  const { operation } = await tenant.send("DeleteResourceGroupCommand", {
    subscriptionId: tenant.id,
    resourceGroupName: "gone",
  });
  ({ id: operationId } = await ended(served, operation));
});
after(() => served.stop());

const ask = (who: string, message: Message) => served.graph(tokenOf(who), message);
/** Makes a client in the owner's tenant. */
async function newClient(scopes: readonly OAuthScope[]): Promise<MadeClient> {
  const about = {
    tenant: tenant.id,
    name: "Pump",
    scopes,
    redirectUris: [redirectUri],
    keys: [],
    isPublic: false,
  };
  return accepted(await served.test.cloud.clients.create(about, "console"));
}
const rowsOf = (scope: Row["scope"]): Row[] => graphRows.filter((row) => row.scope === scope);

describe("what is about the caller", () => {
  /** For each type: what the owner is shown that nobody else may see. */
  const own: Readonly<Record<string, () => string | undefined>> = {
    ListTenantQuery: () => tenant.id,
    GetActiveTenantQuery: () => tenant.id,
    ListSubscriptionQuery: () => tenant.id,
    ListHubsQuery: () => hubId,
    ListOperationQuery: () => operationId,
    CreateTenantCommand: () => undefined,
  };

  test("is a list of types that each has an expectation", () => {
    assert.deepEqual(
      rowsOf("caller")
        .map(({ type }) => type)
        .toSorted(),
      Object.keys(own).toSorted(),
    );
  });

  test("shows the owner what is theirs, and nobody else any of it", async () => {
    for (const row of rowsOf("caller").filter(({ kind }) => kind === "query")) {
      const shown = own[row.type]?.() ?? assert.fail(row.type);
      assert.ok(JSON.stringify(await ask("owner", leastMessage(row, {}))).includes(shown), row.type);
      for (const who of ["stranger", "elsewhere"]) {
        const said = JSON.stringify(await ask(who, leastMessage(row, {})));
        for (const each of Object.values(own)) {
          const hidden = each();
          assert.ok(hidden === undefined || !said.includes(hidden), `${row.type} as ${who}`);
        }
      }
    }
  });

  test("is that of the tenant to which a token is bound, wherever its account works meanwhile", async () => {
    const create = { type: "CREATE_TENANT", id: "acme", displayName: "Acme", owner: tenant.id };
    const { kernel } = served.test.cloud;
    assert.ok((await kernel.submit({ commands: [create], origin: "console" })).accepted);
    const made = await tenant.send("CreateSubscriptionCommand", { tenantId: "acme", displayName: "Theirs" });
    const { subscriptionId } = made["subscription"] as { subscriptionId: string };
    await tenant.send("SetActiveTenantCommand", { tenantId: "acme" });
    for (const [type, shown, hidden] of [
      ["GetActiveTenantQuery", tenant.id, "acme"],
      ["ListSubscriptionQuery", tenant.id, subscriptionId],
    ] as const) {
      const said = JSON.stringify(await ask("bound", { type }));
      assert.ok(said.includes(shown) && !said.includes(hidden), `${type}: ${said}`);
      assert.ok(JSON.stringify(await ask("owner", { type })).includes(hidden), type);
    }
    await tenant.send("SetActiveTenantCommand", { tenantId: tenant.id });
  });

  test("creates tenants for the scope internal alone", async () => {
    for (const who of ["owner", "bound", "itself"])
      assert.equal(
        (await ask(who, { type: "CreateTenantCommand", displayName: "Mine" })).error?.code,
        "E_FORBIDDEN",
        who,
      );
  });
});

describe("a client", () => {
  test("is for the owners of its tenant, and for nobody else: also not for itself", async () => {
    for (const row of rowsOf("client"))
      for (const who of ["stranger", "elsewhere", "some reader", "some contributor", "itself"]) {
        const { error } = await ask(who, leastMessage(row, { clientId: client.clientId }));
        // The token of the client does not reach so far at all.
        const expected = who === "itself" ? ["E_FORBIDDEN", undefined] : ["E_NOT_FOUND", "clientId"];
        assert.deepEqual([error?.code, error?.details?.["field"]], expected, `${row.type} as ${who}`);
      }
    for (const row of rowsOf("client"))
      for (const who of ["owner", "bound", "some owner"]) {
        const made = await newClient(["platform.read"]);
        const { error } = await ask(who, leastMessage(row, { clientId: made.clientId }));
        assert.equal(error, undefined, `${row.type} as ${who}`);
      }
  });

  test("gets no secret by a token that reaches less far than it", async () => {
    const wide = await newClient(everything);
    const narrow = await newClient(["platform.write"]);
    await tenant.assign(narrow.clientId, "owner");
    const bearer = async (): Promise<string> =>
      `Bearer ${await ownToken(served.base, narrow, "platform.write")}`;
    const entered = await served.graph(await bearer(), {
      type: "SetActiveTenantCommand",
      tenantId: tenant.id,
    });
    assert.equal(entered.error, undefined);
    tokens.set("narrow", await bearer());
    const rotate = { type: "RotateSecretClientCommand", clientId: wide.clientId };
    assert.equal((await ask("narrow", rotate)).error?.code, "E_FORBIDDEN");
    const create = {
      type: "CreateClientCommand",
      tenantId: tenant.id,
      name: "Wide",
      scopes: ["devices.control"],
    };
    assert.equal((await ask("narrow", create)).error?.code, "E_INVALID");
  });
});

test("an operation is for who has started it and for who administers its place", async () => {
  const expectations: Readonly<Record<string, boolean>> = {
    owner: true,
    bound: true,
    "some contributor": true,
    "some owner": true,
    "some reader": false,
    stranger: false,
    elsewhere: false,
  };
  for (const row of rowsOf("operation"))
    for (const [who, isAllowed] of Object.entries(expectations)) {
      const { error } = await ask(who, leastMessage(row, { operationId, sessionId: "s" }));
      const isHidden = error?.code === "E_NOT_FOUND" && error.details?.["field"] === "operationId";
      assert.equal(isHidden, !isAllowed, `${row.type} as ${who}: ${JSON.stringify(error)}`);
    }
});

describe("a program with a role", () => {
  /** Where a tenant keeps something that types are about. */
  let known: Readonly<Record<string, unknown>>;
  before(async () => {
    const { properties } = await tenant.create("House", "Vendor.Sites");
    known = {
      ...tenant.group,
      tenantId: tenant.id,
      resourceName: "House",
      siteId: properties["siteId"],
      deviceRegisterId: await tenant.createRegister("Meters"),
      deviceId: "none",
      clientId: client.clientId,
      scope: `/Tenant/${tenant.id}`,
      hubId,
      operationId,
      path: "/hub/tz",
    };
  });

  /** What its gate answers. */
  const gateOf = async (token: string, row: Row): Promise<string> => {
    const { error } = await served.graph(token, leastMessage(row, known));
    const field = error?.details?.["field"] ?? "";
    return Object.keys(targetFields[row.scope]).includes(field) ? `${error?.code} ${field}` : "through";
  };

  for (const role of [undefined, ...roleNames])
    test(`${role ?? "nowhere"} gets what a person with it gets`, async () => {
      if (role !== undefined) await tenant.assign(program.clientId, role);
      const first = `Bearer ${await ownToken(served.base, program, everything.join(" "))}`;
      let token = first;
      if (role !== undefined) {
        // A token sees one tenant: the program enters that of the owner, and gets another token.
        const entered = await served.graph(first, { type: "SetActiveTenantCommand", tenantId: tenant.id });
        assert.equal(entered.error, undefined);
        token = `Bearer ${await ownToken(served.base, program, everything.join(" "))}`;
      }
      const person = tokenOf(role === undefined ? "stranger" : `some ${role}`);
      for (const row of graphRows) {
        if (row.scope === "caller") continue;
        // What may be done would change the things of the others.
        const rights = role === undefined ? "" : gives[role];
        if (row.kind === "command" && rights.includes(rightTo(row.type))) continue;
        assert.equal(await gateOf(token, row), await gateOf(person, row), row.type);
      }
      if (role !== undefined) {
        const given = {
          tenantId: tenant.id,
          scope: `/Tenant/${tenant.id}`,
          principal: program.clientId,
          role,
        };
        await tenant.send("RemoveRoleTenantCommand", given);
      }
      await served.test.clock.pass(60_000);
    });
});
