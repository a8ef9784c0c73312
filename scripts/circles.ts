/**
 * Finds circles of files that import each other.
 * @param graph each file with the files that it imports. Imported files that are no key import nothing.
 * @returns the files of each circle in the order of their imports. Every file on any circle is in one of them; the
 *   circle is the shortest through its first file.
 */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = [];
  const named = new Set<string>();
  for (const file of [...graph.keys()].toSorted()) {
    const circle = named.has(file) ? undefined : wayBack(file, graph);
    if (circle === undefined) continue;
    circles.push(circle);
    for (const each of circle) named.add(each);
  }
  return circles;
}

/** Returns the shortest circle through a file, beginning with that file; undefined when there is none. */
function wayBack(
  start: string,
  graph: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const importers = new Map<string, string>();
  const reached = [start];
  // The loop also visits the files that it appends, so it reaches the nearest files first.
  for (const file of reached) {
    for (const imported of graph.get(file) ?? []) {
      if (imported === start) return wayTo(file, importers);
      if (importers.has(imported)) continue;
      importers.set(imported, file);
      reached.push(imported);
    }
  }
  return undefined;
}

/** Returns the files from the start to a file, in the order in which they import each other. */
function wayTo(file: string, importers: ReadonlyMap<string, string>): readonly string[] {
  const importer = importers.get(file);
  return importer === undefined ? [file] : [...wayTo(importer, importers), file];
}
