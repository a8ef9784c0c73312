import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limits } from "@ledge/model";
import { type Connection, Connections } from "./connections.ts";
import { connectionBounds } from "./open-files.ts";

const bounds = {
  connections: 6,
  connectionsPerAddress: 5,
  strangersPerAddress: 3,
  connectionsPerUser: 2,
};

/**
 * Opens connections, one a word: `address`, then what it does. `-` its head has not come, `s` it shakes hands, `i` it waits for a next
 * request, `b` it is being answered; then whose good key it has shown. `_` is a socket of the file system.
 * @returns which were closed, by their places in the list
 */
function closedBy(words: string): readonly number[] {
  const connections = new Connections(bounds, (address) => (address === "proxy" ? undefined : address));
  const closed: number[] = [];
  for (const [index, word] of words.split(" ").entries()) {
    const [, address = "", doing, user] = /^(\w+?)([-sib])(\w*)$/.exec(word) ?? assert.fail(word);
    const peer = { close: () => closed.push(index), isGreeted: doing === "s" };
    const connection = connections.open(address === "_" ? undefined : address, peer);
    if (doing === "i" || doing === "b") connection.begin();
    if (user !== "") connections.shown(connection, user);
    if (doing === "i") connection.end();
    connections.settle(connection);
  }
  return closed;
}

for (const [what, words, closed] of [
  ["nobody while there is room", "a- a- a- b- b- b-", []],
  ["the oldest half head of an address that has too many", "a- a- a- a- a-", [0, 1]],
  ["a half head before one that waits, however old", "ai a- a- a-", [1]],
  ["a half head before one that shakes hands", "as as a- a-", [2]],
  ["one that shakes hands before one that waits", "ai as ai a-", [1]],
  ["one that waits before one that is answered", "ab ai a- ab", [2]],
  ["one that waits, without half heads", "ab ai ab ab", [1]],
  ["one that is answered, without any other", "ab ab ab ab", [0]],
  ["of all a half head of the address with the most", "a- b- b- c- d- e- f-", [1]],
  ["a half head of another address before one that waits at the largest", "ai ai ai b- ci ci di", [3]],
  ["none that has shown a good key, whoever comes", "abx abx aby aby bbz b- c- d-", [5, 6]],
  ["nobody of a user who has as many as they may", "aix bix c- d-", []],
  ["of a user with too many one that waits", "abx aix bbx", [1]],
  ["of a user with too many, all of them answered, the one that came", "abx bbx cbx", [2]],
  ["one with a good key that waits, where all have shown one", "abu aiv abw bbx bby bbz c-", [1]],
  ["who comes, where all have shown a good key and are answered", "abu abv abw bbx bby bbz c-", [6]],
  ["of an address with too many one that waits, with good keys", "abu aiv abw abx aby abz", [1]],
  ["no connection of a proxy for its address", "proxy- proxy- proxyi proxyb proxy-", []],
  ["none of a proxy before a stranger's", "proxy- proxyi ab proxy- proxy- proxy- proxy-", [2]],
  ["none of a socket of the file system", "_- _- _- _- _-", []],
] as const) {
  test(`goes: ${what}`, () => assert.deepEqual(closedBy(words), closed));
}

describe("a connection", () => {
  const open = (connections: Connections, closed: Connection[]): Connection => {
    const connection: Connection = connections.open("a", {
      close: () => void closed.push(connection),
      isGreeted: false,
    });
    return connection;
  };

  test("whose key is not good any more goes like others", () => {
    const [connections, closed] = [new Connections(bounds), [] as Connection[]];
    const asking = (): Connection => {
      const connection = open(connections, closed);
      connection.begin();
      connections.settle(connection);
      return connection;
    };
    const former = asking();
    connections.shown(former, "ada");
    for (let n = 0; n < 3; n++) asking();
    assert.equal(closed.length, 0);
    connections.shown(former, undefined);
    assert.equal(closed.length, 1);
    assert.notEqual(closed[0], former, "it is being told");
    former.end();
    connections.settle(open(connections, closed));
    assert.deepEqual(closed.slice(1), [former]);
  });

  test("that has come with others at once stays until it was read", () => {
    const [connections, closed] = [new Connections(bounds), [] as Connection[]];
    const came = Array.from({ length: 5 }, () => open(connections, closed));
    came[0]?.begin();
    assert.deepEqual(closed, []);
    for (const connection of came) connections.settle(connection);
    assert.deepEqual(closed, [came[1], came[2]]);
  });

  test("that has left leaves room, and is counted no more", () => {
    const [connections, closed] = [new Connections(bounds), [] as Connection[]];
    for (let n = 0; n < 20; n++) {
      const connection = open(connections, closed);
      connections.settle(connection);
      if (n % 2 === 0) connections.shown(connection, "ada");
      connections.leave(connection);
      connections.leave(connection);
      connections.shown(connection, "bob");
    }
    assert.deepEqual([closed, connections.size], [[], 0]);
  });
});

test("there are fewer connections where the process may open fewer files", () => {
  const all = connectionBounds(Infinity);
  assert.deepEqual(all, {
    connections: limits.connections,
    connectionsPerAddress: limits.connectionsPerAddress,
    strangersPerAddress: limits.strangersPerAddress,
    connectionsPerUser: limits.connectionsPerUser,
  });
  assert.deepEqual(connectionBounds(limits.connections + limits.filesBeside), all);
  const half = connectionBounds(limits.connections / 2 + limits.filesBeside);
  assert.deepEqual(
    [half.connections, half.strangersPerAddress],
    [limits.connections / 2, limits.strangersPerAddress / 2],
  );
  assert.equal(connectionBounds(100).connections, 1);
});
