import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import { crowdedWorld, testNow } from "@ledge/testkit";
import { login } from "./login.ts";
import { accountAdded, givenCloud } from "./test-given.ts";

describe("one-time passwords", () => {
  const id = "address";
  const expires = testNow + limits.loginMs;
  const requested = (digest = "right", until = expires) => {
    return { type: "LoginRequested", id, digest, triesLeft: limits.loginTries, expires: until };
  };
  const request = { type: "REQUEST_LOGIN", id, digest: "right" };
  const attempt = (digest: string, name = "a1") => ({ type: "TRY_LOGIN", id, digest, attempt: name });
  const failed = (triesLeft: number) => ({ type: "LoginFailed", id, digest: "right", triesLeft, expires });
  const proven = { type: "LoginProven", id, attempt: "a1", expires };
  const ended = { type: "LoginEnded", id };

  test("one is active: a further one takes its place, with all tries", () => {
    givenCloud().when(request).then([requested()]);
    const after = givenCloud([requested("old"), failed(1)])
      .when(request)
      .then([requested()]);
    assert.equal(after.state("login", id)?.triesLeft, limits.loginTries);
    givenCloud([requested("old"), requested()])
      .when(attempt("old"))
      .then([failed(limits.loginTries - 1)]);
  });

  test("the right one counts once", () => {
    const after = givenCloud([requested()]).when(attempt("right")).then([proven]);
    assert.equal(after.state("login", id)?.attempt, "a1");
    givenCloud([requested(), proven]).when(attempt("right", "a2")).then([]);
  });

  test("only the attempt that gave it leads on, once", () => {
    const end = (name: string) => ({ type: "END_LOGIN", id, attempt: name });
    givenCloud([requested(), proven]).when(end("a1")).then([ended]);
    for (const [events, name] of [
      [[requested(), proven], "a2"],
      [[requested(), proven, ended], "a1"],
      [[requested()], "a1"],
      [[requested(), proven, requested()], "a1"],
      [[], "a1"],
    ] as const) {
      givenCloud(events).when(end(name)).then({ rejected: "forbidden" });
    }
  });

  test("after the last wrong one it is gone", () => {
    for (let left = limits.loginTries; left > 1; left--)
      givenCloud([requested(), failed(left)])
        .when(attempt("wrong"))
        .then([failed(left - 1)]);
    givenCloud([requested(), failed(1)])
      .when(attempt("wrong"))
      .then([ended]);
    givenCloud([requested(), failed(1)])
      .when(attempt("right"))
      .then([proven]);
    givenCloud([requested(), failed(1), ended])
      .when(attempt("right"))
      .then([]);
  });

  test("it is good until it expires", () => {
    givenCloud([requested()])
      .when(attempt("right"), expires - 1)
      .then([proven]);
    givenCloud([requested()]).when(attempt("right"), expires).then([]);
    givenCloud().when(attempt("right")).then([]);
  });

  test("what has expired is taken away by the next", () => {
    const old = (name: string, until: number) => ({ ...requested("x", until), id: name });
    givenCloud([old("b", testNow), old("c", testNow + 1), old(id, testNow)])
      .when(request)
      .then([{ type: "LoginEnded", id: "b" }, requested()]);
  });

  test("no more wait than may", () => {
    const decide = (count: number) => login.decide(request as never, undefined, crowdedWorld(count));
    assert.deepEqual(decide(limits.loginsPending - 1), [requested()]);
    assert.equal((decide(limits.loginsPending) as { rejected?: string }).rejected, "wrong-state");
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

  test("one starts for an account, and goes on from one that is live", () => {
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

  test("ending one ends exactly that one", () => {
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

  test("those that have expired go with the next start; of too many the oldest goes", () => {
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
