import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const program = `
import os, sys, termios
speeds = {getattr(termios, name): name[1:] for name in dir(termios) if name[:1] == "B" and name[1:].isdigit()}
for path in sys.stdin:
    port = os.open(path.strip(), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    print(speeds[termios.tcgetattr(port)[4]], flush=True)
    os.close(port)
`;

/** Asks for the speed of a terminal. The speed is what a program has set; a pseudo terminal takes no heed of it. */
export class LineSpeed {
  readonly #path: string;
  readonly #child = spawn("/usr/bin/python3", ["-c", program], { stdio: ["pipe", "pipe", "inherit"] });
  readonly #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves with bits per second. */
  async ask(): Promise<number> {
    this.#child.stdin.write(`${this.#path}\n`);
    return Number((await this.#lines.next()).value);
  }

  async close(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.stdin.end();
    await ended;
  }
}
