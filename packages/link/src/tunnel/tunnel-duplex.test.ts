import assert from "node:assert/strict";
import { once } from "node:events";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { TunnelDuplex } from "./tunnel-duplex.ts";

/** A line whose far end takes nothing until `takeAll`. */
class Line extends Duplex {
  readonly taken: Buffer[] = [];
  #waiting: (() => void) | undefined;
  #isOpen = false;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(chunk);
    if (this.#isOpen) done();
    else this.#waiting = done;
  }

  takeAll(): void {
    this.#isOpen = true;
    this.#waiting?.();
  }
}

const write = (duplex: Duplex, bytes: number): Promise<void> =>
  new Promise((resolve) => void duplex.write(Buffer.alloc(bytes), () => resolve()));

test("a write completes when its bytes are buffered, and waits beyond the limit", async () => {
  const line = new Line({ writableHighWaterMark: 1 });
  const duplex = new TunnelDuplex(line, 100);
  await write(duplex, 60);
  await write(duplex, 40);
  let isDone = false;
  const third = write(duplex, 1).then(() => (isDone = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isDone, false);
  line.takeAll();
  await third;
  assert.equal(Buffer.concat(line.taken).length, 101);
});

test("counts incoming bytes as its reader takes them", async () => {
  const line = new Line();
  const duplex = new TunnelDuplex(line);
  line.push(Buffer.alloc(10));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(duplex.received, 0);
  const [chunk] = (await once(duplex, "data")) as [Buffer];
  assert.equal(chunk.length, 10);
  assert.equal(duplex.received, 10);
});

test("closes with its carrier, whichever closes first, and ends a waiting write", async () => {
  const line = new Line({ writableHighWaterMark: 1 });
  const duplex = new TunnelDuplex(line, 0);
  const written = write(duplex, 5);
  await new Promise((resolve) => setImmediate(resolve));
  duplex.destroy();
  await Promise.all([once(line, "close"), written]);
  const other = new Line();
  const second = new TunnelDuplex(other);
  const failed = once(second, "error");
  other.destroy(new Error("reset"));
  assert.deepEqual(await failed, [new Error("reset")]);
});
