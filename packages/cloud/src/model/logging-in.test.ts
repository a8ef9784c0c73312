import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import { crowdedWorld, testNow } from "@ledge/testkit";
import { type Login, login } from "./login.ts";
import type { CloudStates } from "./states.ts";
import { accountAdded, givenCloud } from "./test-given.ts";

describe("one-time passwords", () => {
  const id = "address";
  const expires = testNow + limits.loginMs;
  interface Mailed {
    readonly digest: string;
    readonly long: string;
    readonly from: string;
    readonly triesLeft: number;
    readonly expires: number;
  }
  const mailed = (more: Partial<Mailed> = {}): Mailed => {
    return { digest: "right", long: "long", from: "home", triesLeft: limits.loginTries, expires, ...more };
  };
  const pending = (passwords: readonly Mailed[], othersLeft: number = limits.loginTriesOfOthers) => {
    return { type: "LoginPending", id, passwords, othersLeft, expires: passwords.at(-1)?.expires ?? expires };
  };
  const request = { type: "REQUEST_LOGIN", id, digest: "right", long: "long", from: "home" };
  const attempt = (digest: string, from = "home", name = "a1") => {
    return { type: "TRY_LOGIN", id, digest, long: digest, from, attempt: name };
  };
  const proven = { type: "LoginProven", id, attempt: "a1", expires };
  const ended = { type: "LoginEnded", id };

  test("keeps several passwords valid at once: a stranger's request invalidates none", () => {
    givenCloud()
      .when(request)
      .then([pending([mailed()])]);
    const stranger = mailed({ digest: "other", long: "l2", from: "away" });
    const both = pending([mailed(), stranger]);
    givenCloud([pending([mailed()])])
      .when({ ...request, digest: "other", long: "l2", from: "away" })
      .then([both]);
    for (const digest of ["right", "other", "long", "l2"])
      givenCloud([both]).when(attempt(digest)).then([proven]);
  });

  test("drops the oldest password of the address with the most requests when there are too many", () => {
    const away = Array.from({ length: limits.loginPasswords - 1 }, (_, index) =>
      mailed({ digest: `d${index}`, from: "away" }),
    );
    const after = givenCloud([pending([mailed(), ...away])]).when({
      ...request,
      digest: "new",
      from: "away",
    });
    after.then([pending([mailed(), ...away.slice(1), mailed({ digest: "new", from: "away" })])]);
  });

  test("accepts a password only once", () => {
    const after = givenCloud([pending([mailed()])])
      .when(attempt("right"))
      .then([proven]);
    assert.equal(after.state("login", id)?.attempt, "a1");
    givenCloud([pending([mailed()]), proven])
      .when(attempt("right", "home", "a2"))
      .then([]);
  });

  test("continues only the attempt that gave the password, and only once", () => {
    const end = (name: string) => ({ type: "END_LOGIN", id, attempt: name });
    const asked = pending([mailed()]);
    givenCloud([asked, proven]).when(end("a1")).then([ended]);
    for (const [events, name] of [
      [[asked, proven], "a2"],
      [[asked, proven, ended], "a1"],
      [[asked], "a1"],
      [[asked, proven, asked], "a1"],
      [[], "a1"],
    ] as const) {
      givenCloud(events).when(end(name)).then({ rejected: "forbidden" });
    }
  });

  test("strangers with wrong passwords use up their own tries, then write nothing to the log", () => {
    const asked = pending([mailed()]);
    givenCloud([asked])
      .when(attempt("wrong", "away"))
      .then([pending([mailed()], limits.loginTriesOfOthers - 1)]);
    const spent = pending([mailed()], 0);
    givenCloud([pending([mailed()], 1)])
      .when(attempt("wrong", "away"))
      .then([spent]);
    for (const digest of ["wrong", "right"]) givenCloud([spent]).when(attempt(digest, "away")).then([]);
    givenCloud([spent]).when(attempt("right")).then([proven]);
    givenCloud([spent]).when(attempt("long", "away")).then([proven]);
    givenCloud([spent])
      .when({ ...request, digest: "new" })
      .then([pending([mailed(), mailed({ digest: "new" })], 0)]);
  });

  test("limits wrong tries of the requester, who then needs the long password", () => {
    givenCloud([pending([mailed()])])
      .when(attempt("wrong"))
      .then([pending([mailed({ triesLeft: limits.loginTries - 1 })])]);
    const spent = pending([mailed({ triesLeft: 0 })], 0);
    givenCloud([pending([mailed({ triesLeft: 1 })], 0)])
      .when(attempt("wrong"))
      .then([spent]);
    givenCloud([spent]).when(attempt("right")).then([]);
    givenCloud([spent]).when(attempt("long")).then([proven]);
  });

  test("accepts a password until it expires", () => {
    const asked = pending([mailed()]);
    for (const digest of ["right", "long"]) {
      givenCloud([asked])
        .when(attempt(digest), expires - 1)
        .then([proven]);
      givenCloud([asked]).when(attempt(digest), expires).then([]);
      givenCloud().when(attempt(digest)).then([]);
    }
  });

  test("reads an older log: one password, whose tries everybody shares", () => {
    const requested = { type: "LoginRequested", id, digest: "right", triesLeft: limits.loginTries, expires };
    givenCloud([requested]).when(attempt("right")).then([proven]);
    givenCloud([{ ...requested, type: "LoginFailed", triesLeft: 1 }])
      .when(attempt(""))
      .then([pending([mailed({ long: "", from: "", triesLeft: 0 })], 0)]);
  });

  test("the next request removes an expired login", () => {
    const old = (name: string, until: number) => ({ ...pending([mailed({ expires: until })]), id: name });
    givenCloud([old("b", testNow), old("c", testNow + 1)])
      .when(request)
      .then([{ type: "LoginEnded", id: "b" }, pending([mailed()])]);
  });

  test("drops the login that expires first when there is no room, and never refuses a request", () => {
    const waiting = { passwords: [], othersLeft: 0, attempt: null };
    const decide = (count: number, expired: readonly number[]) => {
      const held = Array.from({ length: count }, (_, index): [string, Login] => {
        const until = expired.includes(index) ? testNow : expires + count - index;
        return [`l${index}`, { ...waiting, id: `l${index}`, expires: until }];
      });
      const world = { ...crowdedWorld<CloudStates>(count), now: testNow, all: () => held } as never;
      return login.decide(request as never, undefined, world);
    };
    const most = limits.loginsPending;
    assert.deepEqual(decide(most - 1, [most - 2]), [pending([mailed()])], "looks at only a few of them");
    assert.deepEqual(decide(most, [most - 1]), [
      { type: "LoginEnded", id: `l${most - 1}` },
      pending([mailed()]),
    ]);
    assert.deepEqual(decide(most, []), [{ type: "LoginEnded", id: `l${most - 1}` }, pending([mailed()])]);
  });
});

describe("sessions", () => {
  const id = "ada";
  const account = accountAdded(id);
  const expires = testNow + limits.cloudTokenMs;
  const started = (jti: string, until = expires) => ({ type: "SessionStarted", id, jti, expires: until });
  const ended = (jti: string) => ({ type: "SessionEnded", id, jti });
  const start = (jti: string, from?: string) => {
    return { type: "START_SESSION", id, jti, ...(from !== undefined && { from }) };
  };

  test("starts a session for an account, or from a live session of it", () => {
    givenCloud([account])
      .when(start("j1"))
      .then([started("j1")]);
    const after = givenCloud([account, started("j1")])
      .when(start("j2", "j1"))
      .then([started("j2")]);
    assert.deepEqual(
      after.state("sessions", id)?.sessions.map(({ jti }) => jti),
      ["j1", "j2"],
    );
    givenCloud().when(start("j1")).then({ rejected: "not-found", field: "id" });
    givenCloud([account, started("j1")])
      .when(start("j1"))
      .then({ rejected: "wrong-state", field: "jti" });
    for (const events of [
      [account],
      [account, started("j0"), started("j1"), ended("j1")],
      [account, started("j1", testNow)],
    ]) {
      givenCloud(events).when(start("j2", "j1")).then({ rejected: "forbidden" });
    }
  });

  test("ends exactly one session, or all of them", () => {
    const two = [account, started("j1"), started("j2")];
    const after = givenCloud(two)
      .when({ type: "END_SESSION", id, jti: "j1" })
      .then([ended("j1")]);
    assert.deepEqual(
      after.state("sessions", id)?.sessions.map(({ jti }) => jti),
      ["j2"],
    );
    givenCloud(two).when({ type: "END_SESSION", id, jti: "j3" }).then([]);
    const none = givenCloud(two)
      .when({ type: "END_SESSIONS", id })
      .then([ended("j1"), ended("j2")]);
    assert.equal(none.state("sessions", id), undefined);
  });

  test("a new session removes expired ones, and the oldest when there are too many", () => {
    const many = Array.from({ length: limits.sessionsPerAccount }, (_, index) => started(`s${index}`));
    givenCloud([account, ...many.slice(1)])
      .when(start("new"))
      .then([started("new")]);
    givenCloud([account, ...many])
      .when(start("new"))
      .then([ended("s0"), started("new")]);
    givenCloud([account, started("old", testNow), ...many.slice(1)])
      .when(start("new"))
      .then([ended("old"), started("new")]);
  });
});
