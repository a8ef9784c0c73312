import assert from "node:assert/strict";
import { test } from "node:test";
import type { StickAdapter } from "./library-inside.ts";
import { Refusals } from "./refusals.ts";

const ieee = "0x00124b0000000001";
const [doorLock, onOff, groups] = [0x0101, 0x0006, 0x0004];
const [defaultResponse, malformed, success] = [0x0b, 0x80, 0x00];

interface Header {
  readonly isGlobal: boolean;
  readonly isSpecific: boolean;
  readonly length: number;
  readonly frameControl: object;
  readonly transactionSequenceNumber: number;
  readonly commandIdentifier: number;
}

/** Returns a frame as a driver emits it: of a cluster, or a default response. */
function arrival(cluster: number, octets: readonly number[], sequence: number, isGlobal = true): object {
  const command = isGlobal ? defaultResponse : (octets[0] ?? 0);
  const body = isGlobal ? octets : octets.slice(1);
  const header: Header = {
    isGlobal,
    isSpecific: !isGlobal,
    length: 3,
    frameControl: { frameType: isGlobal ? 0 : 1, direction: 1, manufacturerSpecific: false },
    transactionSequenceNumber: sequence,
    commandIdentifier: command,
  };
  const data = Buffer.from([isGlobal ? 0x18 : 0x19, sequence, command, ...body]);
  return { address: 0x1234, endpoint: 1, clusterID: cluster, data, header };
}

/** A stick with one frame on its way, whose answer the library awaits. */
function stick(cluster: number, response?: number) {
  const refusals = new Refusals();
  const listeners: ((arrival: unknown) => void)[] = [];
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const freed: unknown[] = [];
  const never = (): Promise<unknown> => promise;
  const adapter: StickAdapter = {
    hasZdoMessageOverhead: false,
    stop: async () => {},
    on: (_event: string, listener: unknown) => void listeners.push(listener as (arrival: unknown) => void),
    emit: () => {},
    sendZdo: never,
    sendZclFrameToEndpoint: never,
    sendZclFrameToGroup: never,
    sendZclFrameToAll: never,
    waitress: { resolve: (answer) => void freed.push(answer) },
  };
  refusals.follow(adapter);
  const frame = {
    header: { transactionSequenceNumber: 7 },
    cluster: { ID: cluster },
    command: { ID: 0, ...(response !== undefined && { response }) },
  };
  const send = (): Promise<unknown> => adapter.sendZclFrameToEndpoint(ieee, 0x1234, 1, frame);
  const hear = (heard: object): void => {
    for (const listener of listeners) listener(heard);
  };
  return { refusals, send, hear, answer: resolve, freed };
}

test("ends the wait for a response when a default response refuses the command", async () => {
  const { send, hear, freed } = stick(doorLock, 0);
  const sent = send();
  hear(arrival(doorLock, [0, malformed], 7));
  await assert.rejects(sent, /the device answered MALFORMED_COMMAND/);
  const [answer] = freed as [{ header: Header }];
  assert.equal(answer.header.commandIdentifier, 0, "the library stops to wait too");
});

for (const [what, heard] of [
  ["another command", arrival(doorLock, [0, malformed], 8)],
  ["another cluster", arrival(onOff, [0, malformed], 7)],
  ["another device", { ...arrival(doorLock, [0, malformed], 7), address: 0x4321 }],
  ["a success", arrival(doorLock, [0, success], 7)],
  ["a frame that is too short", { ...arrival(doorLock, [], 7), header: undefined }],
] as const)
  test(`does not take the answer to ${what} for a refusal`, async () => {
    const { send, hear, answer, freed } = stick(doorLock, 0);
    const sent = send();
    hear(heard);
    await new Promise(setImmediate);
    answer("locked");
    assert.equal(await sent, "locked");
    assert.deepEqual(freed, []);
  });

for (const [what, cluster, heard, refusal] of [
  ["a default response", onOff, arrival(onOff, [0, 0x81], 7), /UNSUP_COMMAND/],
  ["a status of its own", doorLock, arrival(doorLock, [0, 1], 7, false), /FAILURE/],
] as const) {
  test(`throws at ${what} without success while its answers are judged`, async () => {
    const { refusals, send, answer } = stick(cluster);
    answer(heard);
    await assert.rejects(refusals.judging(ieee, send), refusal);
  });

  test(`passes on ${what} without success to callers that read it themselves`, async () => {
    const { refusals, send, answer } = stick(cluster);
    answer(heard);
    assert.equal(await refusals.judging("0x00124b0000000002", send), heard);
    assert.equal(await send(), heard);
  });
}

test("takes a status of the groups cluster for an answer", async () => {
  const { refusals, send, answer } = stick(groups);
  const isMember = arrival(groups, [0, 0x8a, 1, 0], 7, false);
  answer(isMember);
  assert.equal(await refusals.judging(ieee, send), isMember);
});
