/** The longest event that is read. */
const mostChars = 4_000_000;

/** Takes server-sent events apart: returns the JSON of the data of each whole one. */
export class EventStream {
  #text = "";

  /** @throws Error if an event is too long */
  push(chunk: string): readonly unknown[] {
    this.#text += chunk.replaceAll("\r\n", "\n");
    const events = this.#text.split("\n\n");
    this.#text = events.pop() ?? "";
    if (this.#text.length > mostChars) throw new Error(`an event is longer than ${mostChars} characters`);
    return events.flatMap((event) => {
      const data = event
        .split("\n")
        .flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length).trimStart()] : []));
      if (data.length === 0) return [];
      try {
        return [JSON.parse(data.join("\n")) as unknown];
      } catch {
        return [];
      }
    });
  }
}
