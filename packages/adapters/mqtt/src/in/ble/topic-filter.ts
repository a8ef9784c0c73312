/** Whether a topic fits a filter with the wildcards of MQTT: `+` is one level, `#` at the end is the rest. */
export function fitsFilter(topic: string, filter: string): boolean {
  const levels = topic.split("/");
  const wanted = filter.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return levels.length === wanted.length;
}
