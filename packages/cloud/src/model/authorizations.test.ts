import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits, roles } from "@ledge/model";
import { testNow } from "@ledge/testkit";
import { ownerOf } from "./owning.ts";
import { accountAdded, givenCloud, hubRegistered } from "./test-given.ts";

const { OWNER_ADMIN, USER_ADMIN, IDENTIFIED_USER, REMOTE_GUEST, GUEST } = roles;
const id = "hub";
const people = ["owner", "admin", "admin2", "user", "guest", "eve", "new"];
const base = [...people.map(accountAdded), ...hubRegistered(id)];
const claimed = [...base, { type: "HubClaimed", id, owner: "owner" }];
const joined = (user: string, role: number) => ({ type: "InvitationAccepted", id, user, role });
const home = [
  ...claimed,
  joined("admin", USER_ADMIN),
  joined("admin2", USER_ADMIN),
  joined("user", IDENTIFIED_USER),
  joined("guest", REMOTE_GUEST),
];
const later = testNow + limits.invitationMs;
const invited = (user: string, role: number, by = "owner", expires = later) => {
  return { type: "UserInvited", id, user, role, by, codeDigest: `code of ${user}`, expires };
};
const invite = (user: string, role: number, by = "owner") => {
  return { type: "INVITE", id, by, user, role, codeDigest: `code of ${user}` };
};
const withdrawn = (user: string) => ({ type: "InvitationWithdrawn", id, user });
const revoke = (by: string, user: string) => ({ type: "REVOKE", id, by, user });
const offered = { type: "OwnershipOffered", id, to: "admin", codeDigest: "offer", expires: later };
const noHub = { rejected: "not-found", field: "hubId" } as const;

describe("claiming", () => {
  const claim = (owner: string) => ({ type: "CLAIM_HUB", id, owner });

  test("makes the account the sole owner and increases the list number", () => {
    const after = givenCloud(base)
      .when(claim("owner"))
      .then([{ type: "HubClaimed", id, owner: "owner" }]);
    const state = after.state("authorizations", id);
    assert.deepEqual([state?.seq, state?.seen, ownerOf(state)], [1, 0, "owner"]);
    assert.deepEqual(state?.users, [{ user: "owner", role: OWNER_ADMIN, since: testNow, granted: 1 }]);
  });

  test("changes nothing when a hub repeats its claim", () => {
    givenCloud(claimed).when(claim("owner")).then([]);
  });

  test("refuses another owner for an owned hub", () => {
    for (const events of [home, claimed])
      givenCloud(events).when(claim("new")).then({ rejected: "wrong-state", field: "email" });
  });

  test("removes all other users, invitations and offers", () => {
    for (const [events, owner] of [
      [home, "owner"],
      [[...claimed, invited("user", GUEST)], "owner"],
      [[...home, offered], "owner"],
    ] as const) {
      const after = givenCloud(events)
        .when(claim(owner))
        .then([{ type: "HubClaimed", id, owner }]);
      const state = after.state("authorizations", id);
      assert.deepEqual(
        state?.users.map(({ user }) => user),
        [owner],
      );
      assert.deepEqual([state?.invitations, state?.transfer], [[], null]);
      assert.ok((state?.seq ?? 0) > (givenCloud(events).state("authorizations", id)?.seq ?? 0));
    }
  });

  test("refuses an unknown hub and an unknown account", () => {
    givenCloud(base).when(claim("nobody")).then({ rejected: "not-found", field: "email" });
    givenCloud(people.map(accountAdded)).when(claim("owner")).then(noHub);
  });

  test("continues with a higher list number after the hub was released", () => {
    const state = givenCloud(home)
      .when({ type: "RELEASE_HUB", id })
      .then([{ type: "HubReleased", id }]);
    assert.deepEqual(state.state("authorizations", id)?.users, []);
    const released = [...home, { type: "HubReleased", id }];
    givenCloud(released).when(invite("new", GUEST)).then(noHub);
    const again = givenCloud(released)
      .when(claim("new"))
      .then([{ type: "HubClaimed", id, owner: "new" }]);
    assert.equal(again.state("authorizations", id)?.seq, 7);
  });
});

describe("inviting", () => {
  test("adds no user and keeps the list number until the invitation is accepted", () => {
    const after = givenCloud(home)
      .when(invite("new", GUEST))
      .then([invited("new", GUEST)]);
    const state = after.state("authorizations", id);
    assert.equal(state?.seq, givenCloud(home).state("authorizations", id)?.seq);
    assert.ok(!state?.users.some(({ user }) => user === "new"));
  });

  for (const [by, role, expected] of [
    ["owner", USER_ADMIN, true],
    ["owner", OWNER_ADMIN, { rejected: "invalid", field: "role" }],
    ["owner", 1, { rejected: "invalid", field: "role" }],
    ["owner", 0, { rejected: "invalid", field: "role" }],
    ["owner", 128, { rejected: "invalid", field: "role" }],
    ["owner", USER_ADMIN | GUEST, { rejected: "invalid", field: "role" }],
    ["owner", 16, { rejected: "invalid", field: "role" }],
    ["owner", 8.5, { rejected: "invalid", field: "role" }],
    ["owner", Number.NaN, { rejected: "invalid", field: "role" }],
    ["admin", USER_ADMIN, true],
    ["admin", GUEST, true],
    ["admin", OWNER_ADMIN, { rejected: "invalid", field: "role" }],
    ["user", GUEST, { rejected: "forbidden" }],
    ["guest", GUEST, { rejected: "forbidden" }],
    ["eve", GUEST, noHub],
    ["new", GUEST, noHub],
  ] as const) {
    test(`${by} invites with role ${role}: ${expected === true ? "allowed" : expected.rejected}`, () => {
      givenCloud(home)
        .when(invite("new", role, by))
        .then(expected === true ? [invited("new", role, by)] : expected);
    });
  }

  test("refuses users with access and unknown accounts", () => {
    for (const user of ["owner", "admin", "user"])
      givenCloud(home).when(invite(user, GUEST)).then({ rejected: "wrong-state", field: "email" });
    givenCloud(home).when(invite("nobody", GUEST)).then({ rejected: "not-found", field: "email" });
  });

  test("replaces an earlier invitation only if the inviter may change it", () => {
    const before = givenCloud([...home, invited("new", USER_ADMIN)]);
    const again = { ...invite("new", GUEST), codeDigest: "another" };
    const event = { ...invited("new", GUEST), codeDigest: "another" };
    const after = before.when(again).then([event]);
    assert.equal(after.state("authorizations", id)?.invitations.length, 1);
    before.when({ ...again, by: "admin" }).then({ rejected: "forbidden", field: "email" });
    givenCloud([...home, invited("new", GUEST)])
      .when(invite("new", IDENTIFIED_USER, "admin"))
      .then([invited("new", IDENTIFIED_USER, "admin")]);
    givenCloud([...home, invited("new", USER_ADMIN, "admin")])
      .when(invite("new", GUEST, "admin"))
      .then([invited("new", GUEST, "admin")]);
  });

  test("limits open invitations; expired ones make room", () => {
    const crowd = Array.from({ length: limits.invitationsPerHub }, (_, index) => `p${index}`);
    const many = [...claimed, ...crowd.map((user) => invited(user, GUEST))];
    givenCloud(many.slice(0, -1))
      .when(invite("new", GUEST))
      .then([invited("new", GUEST)]);
    givenCloud(many).when(invite("new", GUEST)).then({ rejected: "wrong-state" });
    const old = [...many.slice(0, -1), invited("old", GUEST, "owner", testNow)];
    givenCloud(old)
      .when(invite("new", GUEST))
      .then([withdrawn("old"), invited("new", GUEST)]);
    givenCloud([...claimed, invited("new", GUEST, "owner", testNow)])
      .when(invite("new", GUEST))
      .then([invited("new", GUEST)]);
  });
});

describe("accepting", () => {
  const accept = (user: string, codeDigest?: string) => {
    return { type: "ACCEPT_INVITATION", id, user, ...(codeDigest !== undefined && { codeDigest }) };
  };
  const over = { rejected: "not-found" } as const;
  const pending = [...home, invited("new", GUEST)];

  test("gives access by hub id or by the code of the link", () => {
    const after = givenCloud(pending)
      .when(accept("new"))
      .then([joined("new", GUEST)]);
    const state = after.state("authorizations", id);
    assert.deepEqual(state?.users.at(-1), { user: "new", role: GUEST, since: testNow, granted: 6 });
    assert.deepEqual([state?.invitations, state?.seq], [[], 6]);
    givenCloud(pending)
      .when(accept("new", "code of new"))
      .then([joined("new", GUEST)]);
  });

  test("refuses a wrong code, a second use, another account, and a late or withdrawn invitation", () => {
    givenCloud(pending).when(accept("new", "code of nex")).then(over);
    givenCloud([...pending, { ...invited("new", GUEST), codeDigest: "fresh" }])
      .when(accept("new", "code of new"))
      .then(over);
    givenCloud([...pending, joined("new", GUEST)])
      .when(accept("new", "code of new"))
      .then(over);
    givenCloud(pending).when(accept("eve", "code of new")).then(over);
    givenCloud([...pending, withdrawn("new")])
      .when(accept("new"))
      .then(over);
    givenCloud(pending)
      .when(accept("new"), later - 1)
      .then([joined("new", GUEST)]);
    givenCloud(pending).when(accept("new"), later).then(over);
  });

  test("refuses more users than a hub may have", () => {
    const crowd = Array.from({ length: limits.users - 1 }, (_, index) => joined(`p${index}`, GUEST));
    const full = [...claimed, ...crowd, invited("new", GUEST)];
    givenCloud(full).when(accept("new")).then({ rejected: "wrong-state" });
    givenCloud(full.filter((event) => event !== crowd[0]))
      .when(accept("new"))
      .then([joined("new", GUEST)]);
  });
});

describe("changing a role", () => {
  const set = (by: string, user: string, role: number) => ({ type: "SET_ROLE", id, by, user, role });
  const changed = (user: string, role: number) => ({ type: "RoleChanged", id, user, role });

  for (const [by, user, role, expected] of [
    ["owner", "user", USER_ADMIN, true],
    ["owner", "admin", GUEST, true],
    ["owner", "user", IDENTIFIED_USER, []],
    ["owner", "owner", USER_ADMIN, { rejected: "forbidden", field: "email" }],
    ["owner", "user", OWNER_ADMIN, { rejected: "invalid", field: "role" }],
    ["owner", "user", 0x40 | 0x20, { rejected: "invalid", field: "role" }],
    ["owner", "nobody", GUEST, { rejected: "not-found", field: "email" }],
    ["admin", "user", USER_ADMIN, true],
    ["admin", "guest", IDENTIFIED_USER, true],
    ["admin", "admin2", GUEST, { rejected: "forbidden", field: "email" }],
    ["admin", "admin", GUEST, { rejected: "forbidden", field: "email" }],
    ["admin", "owner", GUEST, { rejected: "forbidden", field: "email" }],
    ["admin", "user", OWNER_ADMIN, { rejected: "invalid", field: "role" }],
    ["user", "user", USER_ADMIN, { rejected: "forbidden" }],
    ["user", "guest", GUEST, { rejected: "forbidden" }],
    ["eve", "guest", GUEST, noHub],
  ] as const) {
    test(`${by} gives ${user} role ${role}`, () => {
      const given = givenCloud(home);
      const after = given
        .when(set(by, user, role))
        .then(expected === true ? [changed(user, role)] : expected);
      const seq = given.state("authorizations", id)?.seq ?? 0;
      assert.equal(after.state("authorizations", id)?.seq, expected === true ? seq + 1 : seq);
    });
  }

  test("changes the role of an invitation, but neither its link nor the list number", () => {
    const pending = [...home, invited("new", GUEST)];
    const after = givenCloud(pending)
      .when(set("admin", "new", IDENTIFIED_USER))
      .then([invited("new", IDENTIFIED_USER)]);
    assert.equal(after.state("authorizations", id)?.seq, 5);
    givenCloud([...home, invited("new", USER_ADMIN)])
      .when(set("admin", "new", GUEST))
      .then({ rejected: "forbidden", field: "email" });
    givenCloud(pending)
      .when(set("owner", "new", USER_ADMIN), later)
      .then({ rejected: "not-found", field: "email" });
  });

  test("withdraws the invitations of an admin who loses that role", () => {
    givenCloud([...home, invited("new", GUEST, "admin"), invited("eve", GUEST)])
      .when(set("owner", "admin", IDENTIFIED_USER))
      .then([changed("admin", IDENTIFIED_USER), withdrawn("new")]);
  });
});

describe("revoking", () => {
  const gone = (user: string) => ({ type: "AccessRevoked", id, user });

  for (const [by, user, expected] of [
    ["owner", "admin", true],
    ["owner", "guest", true],
    ["owner", "owner", { rejected: "forbidden", field: "email" }],
    ["owner", "eve", { rejected: "not-found", field: "email" }],
    ["admin", "user", true],
    ["admin", "admin", true],
    ["admin", "admin2", { rejected: "forbidden", field: "email" }],
    ["admin", "owner", { rejected: "forbidden", field: "email" }],
    ["user", "user", true],
    ["user", "guest", { rejected: "forbidden", field: "email" }],
    ["guest", "guest", true],
    ["guest", "owner", { rejected: "forbidden", field: "email" }],
    ["eve", "eve", noHub],
    ["eve", "user", noHub],
  ] as const) {
    test(`${by} revokes ${by === user ? "themself" : user}`, () => {
      const after = givenCloud(home)
        .when(revoke(by, user))
        .then(expected === true ? [gone(user)] : expected);
      assert.equal(after.state("authorizations", id)?.seq, expected === true ? 6 : 5);
    });
  }

  test("lets the inviter, an admin above or the invited user withdraw an invitation", () => {
    const pending = [...home, invited("new", GUEST), invited("eve", USER_ADMIN, "admin")];
    for (const by of ["owner", "admin", "new"]) {
      const after = givenCloud(pending)
        .when(revoke(by, "new"))
        .then([withdrawn("new")]);
      assert.equal(after.state("authorizations", id)?.seq, 5);
    }
    givenCloud(pending)
      .when(revoke("admin", "eve"))
      .then([withdrawn("eve")]);
    givenCloud(pending).when(revoke("admin2", "eve")).then({ rejected: "forbidden", field: "email" });
    givenCloud(pending).when(revoke("eve", "new")).then(noHub);
  });

  test("withdraws the invitations of a revoked user, and the offer to them", () => {
    givenCloud([...home, invited("new", GUEST, "admin"), offered])
      .when(revoke("owner", "admin"))
      .then([gone("admin"), withdrawn("new"), { type: "OfferWithdrawn", id }]);
  });

  test("revokes all named users with access at the hub, but never the owner", () => {
    const atHub = (...users: string[]) => ({ type: "REVOKE_AT_HUB", id, users });
    givenCloud(home)
      .when(atHub("user", "nobody", "guest", "user"))
      .then([gone("user"), gone("guest")]);
    givenCloud(home).when(atHub("user", "owner")).then({ rejected: "forbidden", field: "users" });
    givenCloud(home).when(atHub()).then([]);
  });
});

describe("giving the hub away", () => {
  const offer = (by: string, to: string) => ({ type: "OFFER_OWNERSHIP", id, by, to, codeDigest: "offer" });
  const accept = (user: string, codeDigest?: string) => {
    return { type: "ACCEPT_OWNERSHIP", id, user, ...(codeDigest !== undefined && { codeDigest }) };
  };
  const over = { rejected: "not-found" } as const;

  test("only the owner may offer it, to any other account", () => {
    givenCloud(home).when(offer("owner", "admin")).then([offered]);
    givenCloud(home)
      .when(offer("owner", "new"))
      .then([{ ...offered, to: "new" }]);
    givenCloud(home).when(offer("owner", "owner")).then({ rejected: "invalid", field: "email" });
    givenCloud(home).when(offer("owner", "nobody")).then({ rejected: "not-found", field: "email" });
    givenCloud(home).when(offer("admin", "user")).then({ rejected: "forbidden" });
    givenCloud(home).when(offer("eve", "eve")).then(noHub);
  });

  for (const to of ["admin", "new"]) {
    test(`keeps the owner until ${to} accepts; then the former owner becomes an admin`, () => {
      const pending = [...home, { ...offered, to }];
      assert.equal(ownerOf(givenCloud(pending).state("authorizations", id)), "owner");
      assert.equal(givenCloud(pending).state("authorizations", id)?.seq, 5);
      const after = givenCloud(pending)
        .when(accept(to, "offer"))
        .then([{ type: "OwnershipTransferred", id, to }]);
      const state = after.state("authorizations", id);
      assert.deepEqual([ownerOf(state), state?.seq, state?.transfer], [to, 6, null]);
      assert.deepEqual(
        state?.users.filter(({ user }) => user === "owner"),
        [{ user: "owner", role: USER_ADMIN, since: testNow, granted: 1 }],
      );
    });
  }

  test("only the recipient may accept it: with its code, in time and once", () => {
    const pending = [...home, offered];
    givenCloud(pending).when(accept("user", "offer")).then(over);
    givenCloud(pending).when(accept("admin", "offex")).then(over);
    givenCloud(pending)
      .when(accept("admin"))
      .then([{ type: "OwnershipTransferred", id, to: "admin" }]);
    givenCloud(pending).when(accept("admin"), later).then(over);
    const done = [...pending, { type: "OwnershipTransferred", id, to: "admin" }];
    givenCloud(done).when(accept("admin")).then(over);
    givenCloud(home).when(accept("admin")).then(over);
  });

  test("the owner may withdraw the offer, and the recipient may decline it", () => {
    const withdraw = (by: string) => ({ type: "WITHDRAW_OFFER", id, by });
    for (const by of ["owner", "admin"])
      givenCloud([...home, offered])
        .when(withdraw(by))
        .then([{ type: "OfferWithdrawn", id }]);
    givenCloud([...home, offered])
      .when(withdraw("user"))
      .then(noHub);
    givenCloud(home).when(withdraw("owner")).then([]);
  });
});

test("notes the list number that the hub has: never above the newest, and never backwards", () => {
  const seen = (seq: number) => ({ type: "NOTE_SEEN", id, seq });
  const noted = { type: "AuthorizationsSeen", id, seq: 4 };
  const after = givenCloud(home).when(seen(4)).then([noted]);
  assert.deepEqual([after.state("authorizations", id)?.seen, after.state("authorizations", id)?.seq], [4, 5]);
  givenCloud(home).when(seen(6)).then({ rejected: "invalid", field: "seq" });
  givenCloud([...home, noted])
    .when(seen(4))
    .then([]);
  givenCloud([...home, noted])
    .when(seen(3))
    .then([]);
});

test("hides a hub without an owner", () => {
  for (const command of [invite("new", GUEST), revoke("owner", "user"), { type: "NOTE_SEEN", id, seq: 0 }])
    givenCloud(base).when(command).then(noHub);
});

test("renumbers a restored list above every number that was used since the backup", () => {
  const renumber = (above: number) => ({ type: "RENUMBER_LIST", id, above });
  const renumbered = (seq: number) => ({ type: "ListRenumbered", id, seq });
  for (const [events, above, seq] of [
    [home, 7000, 7001],
    [home, 2, 6],
    [[...home, { type: "HubReleased", id }], 7000, 7001],
  ] as const) {
    const after = givenCloud(events)
      .when(renumber(above))
      .then([renumbered(seq)]);
    assert.equal(after.state("authorizations", id)?.seq, seq);
  }
  givenCloud(base).when(renumber(7000)).then([]);
  const next = givenCloud([...home, renumbered(7001)]).when(revoke("owner", "guest"));
  const after = next.then([{ type: "AccessRevoked", id, user: "guest" }]);
  assert.equal(after.state("authorizations", id)?.seq, 7002);
});
