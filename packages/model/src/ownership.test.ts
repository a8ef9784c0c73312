import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";
import { roles } from "./access.ts";
import { limits } from "./limits.ts";

const { OWNER_ADMIN, USER_ADMIN, GUEST } = roles;
const user = (id: string, role: number) => ({
  type: "UserAdded",
  id,
  email: `${id}@example.org`,
  nickname: id,
  phone: null,
  role,
});
const created = { type: "HubCreated", id: "h", name: "Hub", timezone: "UTC" };
const home = [created, { type: "HubClaimed", id: "h", owner: "ann" }, user("ann", OWNER_ADMIN)];
const transfer = (email: string) => ({ type: "TRANSFER_OWNERSHIP", id: "h", email });
const changed = (id: string, role: number) => ({ type: "UserRoleChanged", id, role });
const noOwner = { rejected: "wrong-state", message: "this hub has no owner: claim it first" } as const;

test("ownership goes to a user, and the former owner becomes an admin", () => {
  const after = given([...home, user("bob", GUEST)])
    .when(transfer("BOB@example.org"))
    .then([
      { type: "OwnershipTransferred", id: "h", owner: "bob" },
      changed("ann", USER_ADMIN),
      changed("bob", OWNER_ADMIN),
    ]);
  const rolesNow = ["ann", "bob"].map((id) => after.state("user", id)?.user_info.role);
  assert.deepEqual([after.state("hub", "h")?.owner, ...rolesNow], ["bob", USER_ADMIN, OWNER_ADMIN]);
});

test("ownership goes to a new user, also instead of a revoked one", () => {
  const to = { ...user("new-1", OWNER_ADMIN), email: "bob@example.org", nickname: "bob" };
  const events = [{ type: "OwnershipTransferred", id: "h", owner: "new-1" }, changed("ann", USER_ADMIN), to];
  given(home).when(transfer("bob@example.org")).then(events);
  given([...home, user("bob", GUEST), { type: "UserRevoked", id: "bob" }])
    .when(transfer("bob@example.org"))
    .then(events);
});

test("refuses a hub without an owner, and changes nothing for the present owner", () => {
  given(home).when(transfer("ann@example.org")).then([]);
  given([created]).when(transfer("ann@example.org")).then(noOwner);
  given([created]).when({ type: "NOTE_KEY_RECOVERED", id: "h" }).then(noOwner);
});

test("counts a new owner among the users", () => {
  const users = Array.from({ length: limits.users - 1 }, (_, n) => user(`u${n}`, GUEST));
  given([...home, ...users])
    .when(transfer("bob@example.org"))
    .then({ rejected: "invalid", message: `at most ${limits.users} users` });
});

test("notes each recovered key of the owner", () => {
  const recovered = { type: "KeyRecovered", id: "h", user: "ann" };
  given([...home, recovered])
    .when({ type: "NOTE_KEY_RECOVERED", id: "h" })
    .then([recovered]);
});
