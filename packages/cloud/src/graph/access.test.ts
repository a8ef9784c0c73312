import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { roles } from "@ledge/model";
import { type Message, Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import { gives, type Right } from "./rights.ts";
import type { Row } from "./row.ts";
import { graphRows } from "./rows.ts";
import { leastMessage } from "./test-messages.ts";
import { rightTo, typesByRight } from "./test-rights.ts";

let served: Served;
let hub: TestHub;
let owner: string;
/** The token of one user for each role at the hub; `undefined` has none. */
const tokens = new Map<number | undefined, string>();
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
  tokens.set(roles.OWNER_ADMIN, owner).set(undefined, await served.logIn("stranger@example.org"));
  for (const role of [roles.USER_ADMIN, roles.IDENTIFIED_USER, roles.REMOTE_GUEST, roles.GUEST]) {
    tokens.set(role, await served.invited(owner, hub.id, `role${role}@example.org`, role));
  }
});
after(() => served.stop());

const messageOf = (row: Row): Message =>
  leastMessage(row, {
    hubId: hub.id,
    deviceRegisterId: hub.id,
    ...(row.scope === "gateway" && { deviceId: hub.id }),
    path: "/hub/tz",
    email: "invitee@example.org",
  });

/** What a type refuses before its handler runs. */
function refusedBy(right: Right, role: number | undefined): string | undefined {
  if (!gives(role, "R")) return "E_NOT_FOUND";
  return gives(role, right) ? undefined : "E_FORBIDDEN";
}

/** The fields that a gate names when it refuses, by scope. */
const gates: Readonly<Record<string, readonly string[]>> = {
  hub: ["hubId"],
  register: ["deviceRegisterId"],
  gateway: ["deviceRegisterId", "deviceId"],
};
const aboutHubs = graphRows.filter(({ scope }) => scope in gates);

test("each type needs the right to its target that its list says", () => {
  const lists = Object.entries(typesByRight).flatMap(([scope, byRight]) =>
    Object.entries(byRight).flatMap(([right, types]) => types.map((type) => `${type}: ${scope} ${right}`)),
  );
  assert.deepEqual(
    graphRows.map(({ type, scope, right }) => `${type}: ${scope} ${right}`).toSorted(),
    lists.toSorted(),
  );
});

test("each type about a hub admits exactly the roles that give its right", async () => {
  for (const row of aboutHubs) {
    for (const [role, token] of tokens) {
      // An administrator would change with these which user has which role.
      if (/Revoke|SetUserRole|Invite/.test(row.type) && gives(role, "A")) continue;
      const { error } = await served.graph(token, messageOf(row));
      const expected = refusedBy(rightTo(row.type), role);
      const isGate = gates[row.scope]?.includes(error?.details?.["field"] ?? "") ?? false;
      if (expected !== undefined)
        assert.deepEqual([error?.code, isGate], [expected, true], `${row.type} as ${role}`);
      else
        assert.ok(
          !isGate || error?.code === "E_WRONG_STATE",
          `${row.type} as ${role}: ${JSON.stringify(error)}`,
        );
    }
  }
});

test("an operation is nobody else's, whatever their role", async () => {
  const about = graphRows.filter(({ scope }) => scope === "operation");
  assert.ok(about.length >= 4);
  for (const row of about)
    for (const [, token] of tokens) {
      const { error } = await served.graph(token, { ...messageOf(row), operationId: "none" });
      assert.equal(error?.code, "E_NOT_FOUND", row.type);
    }
});

test("no type is answered without a live cloud token, or for a HubKey", async () => {
  const { json } = await served.ui("GET", "/user/hubkeys", { token: owner });
  const hubKey = (json as Record<string, string>)[hub.id] ?? assert.fail();
  const ended = await served.logIn("ended@example.org");
  assert.equal((await served.ui("PUT", "/user/logout", { token: ended })).status, 200);
  for (const row of graphRows)
    for (const token of ["", ended, hubKey]) {
      const [method, kind] = row.kind === "command" ? ["PUT", "command"] : ["POST", "query"];
      const reply = await served.call(method, `/graph/${kind}`, { token, json: { [kind]: messageOf(row) } });
      assert.equal(reply.status, 401, row.type);
    }
});
