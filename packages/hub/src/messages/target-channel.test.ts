import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { Outgoing } from "@ledge/link/outgoing";
import { type AlarmLevel, limits, type Target } from "@ledge/model";
import { PhoneServer, type PhoneServerKind } from "@ledge/testkit/phones";
import { profileGuard } from "../network/profile-guard.ts";
import type { ChannelError, OutgoingMessage } from "./channel.ts";
import { publicOutgoing, targetChannel } from "./target-channel.ts";

const to = { user: "ann", email: "", phone: null, clients: [] };
const message = (level: AlarmLevel = "warn", id = "m/1"): OutgoingMessage => ({
  id,
  level,
  text: "Rök i hallen",
  textId: "MESSAGE",
  sourceId: "x",
  queuedAt: 5,
  hub: "Hemma",
  to,
});
const topics = { ntfy: "home", gotify: null, matrix: "!abc:example.org" } as const;
const target = (kind: PhoneServerKind, url: string, more: Partial<Target> = {}): Target => ({
  id: "t",
  user: "ann",
  kind,
  name: kind,
  url,
  topic: topics[kind],
  token: "t0ken-of-the-server",
  alarms: "warn",
  local: true,
  timestamp: 1,
  ...more,
});

async function fault(of: Target | undefined, said = message(), timeoutMs: number = limits.channelTimeoutMs) {
  const kernel = { get: () => of } as never;
  const local = new Outgoing(profileGuard({ localTargets: true }));
  const channel = targetChannel("t", { kernel, local, remote: publicOutgoing(), timeoutMs });
  try {
    await channel.send(said);
    return null;
  } catch (error) {
    const { fault: kind, message: text } = error as ChannelError;
    return [kind, text];
  }
}

describe("servers that bring messages to phones", () => {
  const servers = new Map<PhoneServerKind, PhoneServer>();
  before(async () => {
    for (const kind of ["ntfy", "gotify", "matrix"] as const)
      servers.set(kind, await PhoneServer.start(kind));
  });
  after(() => Promise.all([...servers.values()].map((server) => server.kill())));
  const the = (kind: PhoneServerKind): PhoneServer => servers.get(kind) as PhoneServer;

  for (const [kind, ...priorities] of [
    ["ntfy", 3, 4, 5],
    ["gotify", 2, 5, 8],
    ["matrix", "m.notice", "m.text", "m.text"],
  ] as const)
    test(`${kind} takes a message of each level with a priority of its own`, async () => {
      for (const [index, level] of (["info", "warn", "err"] as const).entries())
        assert.equal(await fault(target(kind, the(kind).url), message(level, `m ${index}`)), null);
      assert.deepEqual(
        the(kind).shown,
        priorities.map((priority) => ({ title: "Hemma", text: "Rök i hallen", priority })),
      );
    });

  test("a room of Matrix shows a message once, however often it is sent", async () => {
    const { shown, url } = the("matrix");
    const before_ = shown.length;
    for (let tries = 0; tries < 3; tries++) assert.equal(await fault(target("matrix", url)), null);
    assert.equal(shown.length, before_ + 1);
  });

  test("a wrong token or address keeps messages waiting, and names what to mend", async () => {
    for (const kind of ["ntfy", "gotify", "matrix"] as const) {
      const [how, why] = (await fault(target(kind, the(kind).url, { token: "other" }))) ?? [];
      assert.equal(how, "down");
      assert.match(why ?? "", /^answered 401: the token is not accepted/);
      const [, elsewhere] = (await fault(target(kind, `${the(kind).url}/sub`))) ?? [];
      assert.match(elsewhere ?? "", /^answered 404: the address is not that of the server/);
    }
    assert.deepEqual(await fault(target("ntfy", the("ntfy").url, { token: { sealed: "x" } })), [
      "down",
      "its token is missing: give it again",
    ]);
    assert.deepEqual(await fault(undefined), ["refused", "the target was removed"]);
  });

  test("only the owner's targets may be in a private network", async () => {
    const seen = the("ntfy").shown.length;
    const refused = ["down", "is not asked: the owner alone may name a server in a private network"];
    for (const url of [the("ntfy").url, "http://192.168.1.5", "http://[fd00::1]", "http://[::ffff:10.0.0.1]"])
      assert.deepEqual(await fault(target("ntfy", url, { local: false })), refused, url);
    const [, byName] =
      (await fault(target("ntfy", the("ntfy").url.replace("127.0.0.1", "localhost"), { local: false }))) ??
      [];
    assert.equal(byName, refused[1]);
    assert.equal(the("ntfy").shown.length, seen);
  });
});

test("judges answers, redirects, silence and a closed port", async () => {
  let status = 200;
  const server = createServer((_, response) => {
    if (status > 0) response.writeHead(status, { location: "http://127.0.0.1:1/" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [answered, kind] of [
    [400, "refused"],
    [413, "refused"],
    [429, "down"],
    [500, "later"],
    [503, "down"],
    [302, "down"],
  ] as const) {
    status = answered;
    assert.equal((await fault(target("gotify", url)))?.[0], kind, String(answered));
  }
  status = 0;
  assert.deepEqual(await fault(target("gotify", url), message(), 50), ["down", "did not answer in time"]);
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  assert.deepEqual(await fault(target("gotify", url)), ["down", "could not be reached: ECONNREFUSED"]);
});
