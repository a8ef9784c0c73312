const names = "authorization|x-hub-key|passw(?:or)?d|passphrase|token|secret|credential|key";

/** What may stand in a line and is nobody's to read, whatever field or message it came in with. */
const patterns: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // Tokens, by their form.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "…"],
  // Fields by their name, as JSON and as JSON within a string of JSON.
  [new RegExp(`"([\\w-]{0,64}(?:${names}))":\\s*"(?:[^"\\\\]|\\\\.)*"`, "gi"), '"$1":"…"'],
  [
    new RegExp(`\\\\"([\\w-]{0,64}(?:${names}))\\\\":\\s*\\\\"(?:(?!\\\\").)*\\\\"`, "gi"),
    '\\"$1\\":\\"…\\"',
  ],
  // Headers and parameters.
  [
    new RegExp(
      `(?<![\\w-])([\\w-]{0,64}(?:${names}))([=:]\\s*)(?!["\\\\])(?:(?:basic|bearer) +)?[^\\s&"\\\\]+`,
      "gi",
    ),
    "$1$2…",
  ],
  // Whom a line is about.
  [/(?<![\w.+-])[\w.+-]+@(?:[a-z][\w-]*(?:\.[\w-]+)*|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})/gi, "…@…"],
];

/** A line of the log without credentials and email addresses. */
export function scrubbed(line: string): string {
  return patterns.reduce((text, [pattern, instead]) => text.replace(pattern, instead), line);
}
