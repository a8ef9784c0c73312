// Requests and answers of the Fetch standard, as Hono and others pass them on.
import {
  type Answer,
  type HttpRequest,
  type OpenAnswer,
  readWhole,
  type SinkListener,
  tokenIn,
} from "./exchange.ts";

export function fromFetch(request: Request, remoteAddress: string | undefined): HttpRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    url,
    header: (name) => request.headers.get(name) ?? undefined,
    token: tokenIn(request.headers.get("authorization") ?? undefined, url),
    remoteAddress,
    raw: request,
    readBody: (bytesMax) => readWhole(request.body ?? [], bytesMax),
    onGone: (callback) => request.signal.addEventListener("abort", callback, { once: true }),
  };
}

/** @param signal aborted when the client has left. */
export function toResponse(answer: Answer | OpenAnswer, signal: AbortSignal): Response {
  const { status, headers } = answer;
  const body = "open" in answer ? openBody(answer, signal) : answer.body;
  return new Response(body, { status, headers });
}

function openBody(answer: OpenAnswer, signal: AbortSignal): ReadableStream<Uint8Array> {
  let listener: SinkListener | undefined;
  let isOver = false;
  const over = (): void => {
    isOver = true;
    listener?.closed();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (): void => {
          if (!isOver) controller.close();
          over();
        };
        listener = answer.open({
          get bufferedAmount() {
            return Math.max(0, -(controller.desiredSize ?? 0));
          },
          write(bytes) {
            if (!isOver) controller.enqueue(bytes);
          },
          end,
          destroy: end,
        });
        signal.addEventListener("abort", over, { once: true });
      },
      pull() {
        listener?.drained();
      },
      cancel: over,
    },
    { highWaterMark: 0, size: (chunk) => chunk.byteLength },
  );
}
