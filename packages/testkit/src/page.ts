/**
 * Returns a Markdown table as the formatter writes it. A `|` in a cell is escaped.
 * @param rows cells by row, as many as in the head
 */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(3, ...safe.map((row) => widthOf(row[column] ?? ""))));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - widthOf(cell))).join(" | ")} |`;
  const [first = [], ...others] = safe;
  return [
    line(first),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...others.map(line),
  ].join("\n");
}

/** The columns that a text takes: one for each character. */
function widthOf(cell: string): number {
  return Array.from(cell).length;
}

/**
 * Returns a page of docs with a text in its place, between the comments `name` and `/name`.
 * @throws Error when the page has no such place
 */
export function withRegion(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${begin} or no ${end}`);
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}
