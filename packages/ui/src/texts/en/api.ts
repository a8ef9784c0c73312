import type { Text } from "../text.ts";

/** The texts of the screen of the API, in English. */
export const api = {
  "api.title": "API",
  "api.how":
    "What this page does, programs can do too. A call from here is made with your key and your rights.",
  "api.search": "Find by path or what it does",
  "api.none": "No endpoint is like that.",
  "api.required": "required",
  "api.body": "Body (JSON)",
  "api.curl": "As a command",
  "api.ask": "Ask",
  "api.change": "Send, and change the home",
  "api.answer": "Answer",
  "api.noJson": "The body is no JSON.",
  "api.copy": "Copy the command",
  "api.copied": "The command is copied",
  "api.sure": "This changes the home at once.",
  "api.send": "Send it",
  "api.leave": "Do not send it",
} as const satisfies Readonly<Record<string, Text>>;
