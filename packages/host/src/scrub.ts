const names = "authorization|x-hub-key|passw(?:or)?d|passphrase|token|secret|credential|key";

/** What must not be in a log line, in whatever field or message. */
const patterns: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // Tokens, by their form.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "…"],
  // Fields by their name, in JSON and in JSON inside a JSON string.
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
  // Email addresses of users.
  [/(?<![\w.+-])[\w.+-]+@(?:[a-z][\w-]*(?:\.[\w-]+)*|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})/gi, "…@…"],
];

/** Returns a line of the log without credentials and email addresses. */
export function scrubbed(line: string): string {
  return patterns.reduce((text, [pattern, instead]) => text.replace(pattern, instead), line);
}
