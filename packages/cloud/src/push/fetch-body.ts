import type { Clock } from "@ledge/kernel";
import type { Fetch } from "./user-watch.ts";

/**
 * Returns the body of a fetch (platform-api 4.1): a JSON array whose elements are sent as they come. It ends when
 * the wait has elapsed, when a newer fetch of the session begins, and when the client leaves.
 * @param onError gets what ends the body early; the client then sees that the array is not complete
 */
export function fetchBody(
  { reader, signal: superseded, end }: Fetch,
  waitMs: number,
  clock: Pick<Clock, "after">,
  onError: (error: Error) => void,
): ReadableStream<Uint8Array> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const cancel = clock.after(waitMs, stop);
  superseded.addEventListener("abort", stop, { once: true });
  const finish = (): void => {
    cancel();
    superseded.removeEventListener("abort", stop);
    end();
  };
  let [isFirst, isCancelled] = [true, false];
  return new ReadableStream<Uint8Array>({
    async pull(body) {
      try {
        const messages = await reader.next(controller.signal);
        if (isCancelled) return;
        const elements = messages.map(({ json }) => json).join(",");
        const text = messages.length === 0 ? "]" : `,${elements}`;
        body.enqueue(Buffer.from(isFirst ? `[${text.replace(/^,/, "")}` : text));
        isFirst = false;
        if (messages.length > 0) return;
        finish();
        body.close();
      } catch (error) {
        finish();
        onError(error as Error);
        body.error(error);
      }
    },
    cancel() {
      isCancelled = true;
      stop();
      finish();
    },
  });
}
