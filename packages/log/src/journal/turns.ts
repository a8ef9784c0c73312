/*
 * What the journal's two threads say to each other: four 32 bit numbers that both see, and the memory in which
 * the frame stands. One of them waits at `turn` while the other works.
 */
export const words = { turn: 0, length: 1, position: 2, result: 3 } as const;
export const turns = { idle: 0, asked: 1, answered: 2, ended: 3 } as const;

/** What the worker is given; `words` holds the numbers, the result is bytes written or a negative errno. */
export interface Shared {
  readonly descriptor: number;
  readonly words: Int32Array;
  readonly memory: SharedArrayBuffer;
}

export type WriteSync = (
  descriptor: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => number;

/** Answers each write that is asked for, until it is told to end. Blocks its thread. */
export function serveWrites({ descriptor, words: shared, memory }: Shared, write: WriteSync): void {
  const bytes = Buffer.from(memory);
  for (;;) {
    const turn = Atomics.load(shared, words.turn);
    if (turn === turns.ended) return;
    if (turn !== turns.asked) {
      Atomics.wait(shared, words.turn, turn);
      continue;
    }
    const length = Atomics.load(shared, words.length);
    const position = Atomics.load(shared, words.position);
    Atomics.store(
      shared,
      words.result,
      resultOf(() => write(descriptor, bytes, 0, length, position)),
    );
    answer(shared, turns.answered);
  }
}

/** Gives the turn to the other thread. */
export function answer(shared: Int32Array, turn: number): void {
  Atomics.store(shared, words.turn, turn);
  Atomics.notify(shared, words.turn);
}

const eio = -5;

function resultOf(write: () => number): number {
  try {
    return write();
  } catch (error) {
    const errno = error instanceof Error && "errno" in error ? Number(error.errno) : eio;
    return errno < 0 ? errno : eio;
  }
}
