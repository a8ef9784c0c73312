import type { Text } from "../text.ts";

/** The texts of the timeline, in English. */
export const timeline = {
  "nav.timeline": "Timeline",
  "past.readOnly": "The home as it was. Nothing can be switched.",
  "past.back": "Back to now",
  "past.putNames": "Put name and room back as they were then",
  "past.putSettings": "Put the settings back as they were then",
  "past.putRule": "Put {name} back as it was then",
  "past.putBack": "{name} is as it was: {time}",
  "past.title": "Past",
  "past.same": "{name} has not changed since then.",
  "timeline.slider": "Time",
  "timeline.span": "Span",
  "timeline.1": "1 hour",
  "timeline.24": "1 day",
  "timeline.168": "7 days",
  "timeline.earlier": "Earlier",
  "timeline.later": "Later",
  "timeline.how": "Move the slider to see the home as it was.",
  "timeline.denied": "Guests do not see the past.",
  "timeline.events": "What happened",
  "timeline.none": "Nothing is recorded of this time.",
  "timeline.counts": { one: "{n} event", other: "{n} events" },
  "timeline.alarms": { one: "{n} alarm", other: "{n} alarms" },
} as const satisfies Readonly<Record<string, Text>>;
