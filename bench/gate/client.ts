// The client of the server that is counted.
import type { ChildProcess } from "node:child_process";
import { type Agent, request } from "node:http";
import { text } from "node:stream/consumers";

interface Opened {
  readonly port: number;
  readonly markPort: number;
  readonly key: string;
  readonly cursors: readonly (readonly [changed: number, cursor: number])[];
}

/** The line that the server prints when it listens. */
export async function opened(child: ChildProcess): Promise<Opened> {
  let line = "";
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    line += chunk.toString();
    if (line.includes("\n")) return JSON.parse(line) as Opened;
  }
  throw new Error("the server ended before it listened");
}

/** Asks once; resolves with the body. */
export function get(port: number, path: string, key: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, agent, headers: { authorization: key } });
    sent.on("response", (response) => void text(response).then(resolve, reject));
    sent.on("error", reject);
    sent.end();
  });
}
