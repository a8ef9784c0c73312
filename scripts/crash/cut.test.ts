import assert from "node:assert/strict";
import { test } from "node:test";
import { cutAt, said } from "./cut.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { seeded } from "./random.ts";

const seeds = Array.from({ length: 200 }, (_, seed) => seed);
let tickets = 0;

const text = (letter: string, length = 2048): Buffer => Buffer.alloc(length, letter);
const end = (ticket: string, result = 1_000_000): Operation => ({ kind: "end", ticket, result });

/** Returns a write to the file `name`, which has returned unless `isOpen`. */
function write(
  name: string,
  position: number,
  bytes: Buffer,
  how = { isSynchronous: false, isOpen: false },
): Operation[] {
  const ticket = String(++tickets);
  const { isSynchronous, isOpen } = how;
  const begun: Operation = { kind: "write", ticket, inode: name, name, position, bytes, isSynchronous };
  return isOpen ? [begun] : [begun, end(ticket)];
}

function flush(name: string, result = 0): Operation[] {
  const ticket = String(++tickets);
  return [{ kind: "flush", ticket, inode: name, name }, end(ticket, result)];
}

/** Returns the possible contents of a file after a cut, over many seeds. */
function outcomes(
  name: string,
  operations: readonly Operation[],
  base = new Map<string, Uint8Array>(),
): Set<string> {
  const found = seeds.map((seed) => cutAt(base, operations, operations.length, seeded(seed)).get(name));
  return new Set(
    found.map((content) => (content === undefined ? "none" : Buffer.from(content).toString("latin1"))),
  );
}

const only = (...contents: readonly (Buffer | string)[]): Set<string> => new Set(contents.map(String));

test("keeps what was flushed, whatever follows", () => {
  const left = outcomes("a", [...write("a", 0, text("x")), ...flush("a"), ...write("a", 2048, text("y"))]);
  assert.ok([...left].every((content) => content.startsWith(String(text("x")))));
  assert.ok(left.has(String(text("x"))) && left.has(text("x") + String(text("y"))), "dropped, or kept");
});

test("keeps, drops or tears what was not flushed, between sectors of 512 bytes", () => {
  const left = outcomes("a", write("a", 100, text("x")), new Map([["a", text(".", 4096)]]));
  assert.ok(left.has(String(text(".", 4096))), "dropped");
  assert.ok(left.has(text(".", 100) + String(text("x")) + String(text(".", 1948))), "kept");
  assert.ok(left.size > 10, "torn");
  for (const content of left) {
    const edges = content
      .split("")
      .flatMap((letter, at) => (at > 0 && letter !== content[at - 1] ? [at] : []));
    assert.ok(
      edges.every((at) => at % 512 === 0 || at === 100 || at === 2148),
      String(edges),
    );
  }
});

test("flushes only its own file, and only writes that had returned before", () => {
  assert.ok(outcomes("a", [...write("a", 0, text("x")), ...flush("b")]).size > 1);
  const [begun] = write("a", 0, text("x"), { isSynchronous: false, isOpen: true }) as [Operation];
  const [flushed, flushEnd] = flush("a") as [Operation, Operation];
  const late = [begun, flushed, end((begun as { ticket: string }).ticket), flushEnd];
  assert.ok(outcomes("a", late).size > 1);
  assert.ok(outcomes("a", [...write("a", 0, text("x")), flushed]).size > 1, "a flush that has not ended");
});

test("keeps a synchronous write once it has returned, but not other writes", () => {
  const synchronous = { isSynchronous: true, isOpen: false };
  const left = outcomes("a", [...write("a", 0, text("x")), ...write("a", 2048, text("y"), synchronous)]);
  assert.ok([...left].every((content) => content.endsWith(String(text("y")))));
  assert.ok(left.size > 1);
});

test("never brings back what a later write covers", () => {
  const operations = [
    ...write("a", 0, text("x")),
    ...write("a", 0, text("y"), { isSynchronous: true, isOpen: false }),
  ];
  assert.deepEqual(outcomes("a", operations), only(text("y")));
});

test("loses the writes of a failed flush forever", () => {
  const [flushed, failed] = flush("a", -1) as [Operation, Operation];
  const { ticket } = failed as { ticket: string };
  const lose: Operation = { kind: "lose", ticket, inode: "a", name: "a" };
  const operations = [...write("a", 0, text("x")), flushed, lose, failed, ...flush("a")];
  assert.deepEqual(outcomes("a", operations), only(""));
});

test("limits a short or failed write to its result", () => {
  const [begun] = write("a", 0, text("x"), { isSynchronous: false, isOpen: true }) as [Operation];
  const { ticket } = begun as { ticket: string };
  assert.deepEqual(outcomes("a", [begun, end(ticket, 512), ...flush("a")]), only(text("x", 512)));
  assert.deepEqual(outcomes("a", [begun, end(ticket, -1), ...flush("a")]), only(""));
});

test("gives a file its old or its new name until the folder is flushed", () => {
  const rename: Operation[] = [
    { kind: "rename", ticket: "r", inode: "h/a", name: "h/a", to: "h/b" },
    end("r", 0),
  ];
  const renamed = [...write("h/a", 0, text("x")), ...flush("h/a"), ...rename];
  assert.deepEqual(outcomes("h/a", renamed), only("none", text("x")));
  assert.deepEqual(outcomes("h/b", renamed), only("none", text("x")));
  assert.deepEqual(outcomes("h/b", [...renamed, ...flush("h")]), only(text("x")));
  assert.deepEqual(outcomes("h/a", [...renamed, ...flush("h")]), only("none"));
});

test("sometimes keeps one file completely and no other", () => {
  const operations = ["a", "b", "c"].flatMap((name) => write(name, 0, text("x", 8192)));
  const wholly = seeds.filter((seed) => {
    const files = cutAt(new Map(), operations, operations.length, seeded(seed));
    const sizes = ["a", "b", "c"].map((name) => Buffer.from(files.get(name) ?? "").toString());
    return sizes.filter((content) => content === String(text("x", 8192))).length === 1 && sizes.includes("");
  });
  assert.ok(wholly.length >= seeds.length * 0.2, `${wholly.length}`);
});

test("keeps the report and drops the table of readers", () => {
  const operations = [
    ...write(said, 0, Buffer.from("one ")),
    ...write("lock.mdb", 0, text("x")),
    ...write(said, 0, Buffer.from("two")),
  ];
  const files = cutAt(new Map([[said, Buffer.from("before ")]]), operations, operations.length, seeded(1));
  assert.deepEqual(
    [...files].map(([name, content]) => [name, Buffer.from(content).toString()]),
    [[said, "before one two"]],
  );
});

test("gives the same files for the same seed", () => {
  const operations = ["a", "b", "c"].flatMap((name) => write(name, 0, text(name, 8192)));
  const cut = (): unknown => cutAt(new Map(), operations, operations.length, seeded("s"));
  assert.deepEqual(cut(), cut());
});

test("reads a trace up to an incomplete record", () => {
  const record = Buffer.alloc(48 + 3 + 5);
  record.writeUInt32LE(1, 0);
  record.writeUInt32LE(3, 4);
  record.writeBigUInt64LE(7n, 8);
  record.writeBigUInt64LE(9n, 16);
  record.writeBigInt64LE(4096n, 24);
  record.writeBigUInt64LE(5n, 32);
  record.write("l/ahello", 48);
  const expected = {
    kind: "write",
    ticket: "7",
    inode: "9",
    name: "l/a",
    position: 4096,
    isSynchronous: false,
  };
  const operations = operationsOf(Buffer.concat([record, record.subarray(0, 50)]));
  assert.deepEqual(operations, [{ ...expected, bytes: Buffer.from("hello") }]);
  assert.throws(
    () => operationsOf(Buffer.alloc(48, 0xff).fill(0, 4, 8).fill(0, 32, 40)),
    /the trace is damaged/,
  );
});
