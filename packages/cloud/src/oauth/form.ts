import type { IncomingMessage } from "node:http";
import { Refused } from "@ledge/link";

/** Reads a form of a browser. @returns 413 or 415 when it is none */
export async function formIn(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<URLSearchParams | Refused> {
  const type = incoming.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") return new Refused(415, "only forms are read");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) return new Refused(413, "the form is too large");
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}
