/*
 * How the journal's two threads communicate: four 32-bit numbers in shared memory, and the memory that holds the
 * frame. One thread waits at `turn` while the other works.
 */
export const words = { turn: 0, length: 1, position: 2, result: 3 } as const;
export const turns = { idle: 0, asked: 1, answered: 2, ended: 3 } as const;

/** What the worker gets. `words` holds the numbers; `result` is the bytes written or a negative errno. */
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

/** Carries out the requested writes until it is told to end. Blocks its thread. */
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

/** Hands the turn to the other thread. */
export function answer(shared: Int32Array, turn: number): void {
  Atomics.store(shared, words.turn, turn);
  Atomics.notify(shared, words.turn);
}

/**
 * Resolves when the other thread has handed back the turn that it was asked for. A notification alone proves
 * nothing: one of an earlier turn comes late when its thread is preempted between the store and the notification.
 */
export async function answered(shared: Int32Array): Promise<void> {
  while (Atomics.load(shared, words.turn) === turns.asked)
    await Atomics.waitAsync(shared, words.turn, turns.asked).value;
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
