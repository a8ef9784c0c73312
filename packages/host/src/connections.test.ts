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
 * Opens connections, one for each word: the `address`, then the state: `-` the head is not complete, `s` in a
 * handshake, `i` waiting for a next request, `b` being answered; then the user who has shown a valid key. `_`
 * is a socket of the file system.
 * @returns the places of the closed ones in the list
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
  ["no connection while there is room", "a- a- a- b- b- b-", []],
  ["the oldest incomplete heads of an address with too many", "a- a- a- a- a-", [0, 1]],
  ["an incomplete head before a waiting one, however old", "ai a- a- a-", [1]],
  ["an incomplete head before a handshake", "as as a- a-", [2]],
  ["a handshake before a waiting one", "ai as ai a-", [1]],
  ["a waiting one before one being answered", "ab ai a- ab", [2]],
  ["a waiting one, without incomplete heads", "ab ai ab ab", [1]],
  ["one being answered, without any other", "ab ab ab ab", [0]],
  ["an incomplete head of the address with the most, out of all", "a- b- b- c- d- e- f-", [1]],
  ["another address's incomplete head before a waiting one of the largest", "ai ai ai b- ci ci di", [3]],
  ["none that is busy and has a valid key, whoever connects", "abx abx aby aby bbz b- c- d-", [5, 6]],
  ["none of a user at the limit", "aix bix c- d-", []],
  ["a waiting one of a user over the limit", "abx aix bbx", [1]],
  ["the new one of a user over the limit, when all others are busy", "abx bbx cbx", [2]],
  ["a waiting one with a valid key, when all have shown one", "abu aiv abw bbx bby bbz c-", [1]],
  ["the new one, when all have shown a valid key and are busy", "abu abv abw bbx bby bbz c-", [6]],
  ["a waiting one of an address over the limit, even with a valid key", "abu aiv abw abx aby abz", [1]],
  ["none of a proxy because of its address", "proxy- proxy- proxyi proxyb proxy-", []],
  ["a stranger's before one of a proxy", "proxy- proxyi ab proxy- proxy- proxy- proxy-", [2]],
  ["none on a socket of the file system", "_- _- _- _- _-", []],
] as const) {
  test(`closes ${what}`, () => assert.deepEqual(closedBy(words), closed));
}

describe("a connection", () => {
  const open = (connections: Connections, closed: Connection[]): Connection => {
    const connection: Connection = connections.open("a", {
      close: () => void closed.push(connection),
      isGreeted: false,
    });
    return connection;
  };

  test("can be closed like any other once its key is no longer valid", () => {
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
    assert.notEqual(closed[0], former, "it is just being answered");
    former.end();
    connections.settle(open(connections, closed));
    assert.deepEqual(closed.slice(1), [former]);
  });

  test("that came with others at once stays until it has been read", () => {
    const [connections, closed] = [new Connections(bounds), [] as Connection[]];
    const came = Array.from({ length: 5 }, () => open(connections, closed));
    came[0]?.begin();
    assert.deepEqual(closed, []);
    for (const connection of came) connections.settle(connection);
    assert.deepEqual(closed, [came[1], came[2]]);
  });

  test("that has left makes room and no longer counts", () => {
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

test("connectionBounds allows fewer connections to a process with fewer open files", () => {
  const all = connectionBounds(limits.connections, Infinity);
  assert.deepEqual(all, {
    connections: limits.connections,
    connectionsPerAddress: limits.connectionsPerAddress,
    strangersPerAddress: limits.strangersPerAddress,
    connectionsPerUser: limits.connectionsPerUser,
  });
  assert.deepEqual(connectionBounds(limits.connections, limits.connections + limits.filesBeside), all);
  const half = connectionBounds(limits.connections, limits.connections / 2 + limits.filesBeside);
  assert.deepEqual(
    [half.connections, half.strangersPerAddress],
    [limits.connections / 2, limits.strangersPerAddress / 2],
  );
  assert.equal(connectionBounds(limits.connections, 100).connections, 1);
  const many = connectionBounds(limits.cloudConnections, Infinity);
  assert.deepEqual(many, { ...all, connections: limits.cloudConnections });
});
