/**
 * A pattern for paths: `*` stands for any text within a name, `**` for any text, everything else for itself. A
 * pattern that is `*` alone stands for all paths.
 *
 * It is matched character by character, with the set of places in the pattern that the text so far can end at. The
 * work is at most the length of the text times the length of the pattern, whatever both are; nothing is tried twice.
 */
export interface Glob {
  /** The places before the first character. */
  readonly start: Places;
  /** Returns the places after further text. */
  advance(places: Places, text: string): Places;
  /** Returns whether the text so far matches as a whole. */
  accepts(places: Places): boolean;
}

/** Places in a pattern, ascending, each once. None means that no text can match any more. */
export type Places = readonly number[];

type Token = { readonly kind: "text"; readonly code: string } | { readonly kind: "name" | "path" };

/** Reads a pattern. */
export function globOf(pattern: string): Glob {
  const tokens = pattern === "*" ? [{ kind: "path" } as const] : tokensIn(pattern);
  return {
    start: settled([0], tokens),
    advance(places, text) {
      let now = places;
      for (let index = 0; index < text.length && now.length > 0; index++)
        now = after(now, text.charAt(index), tokens);
      return now;
    },
    accepts: (places) => places.at(-1) === tokens.length,
  };
}

function tokensIn(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const code = pattern.charAt(index);
    if (code !== "*") tokens.push({ kind: "text", code });
    else if (pattern.charAt(index + 1) !== "*") tokens.push({ kind: "name" });
    else {
      tokens.push({ kind: "path" });
      while (pattern.charAt(index + 1) === "*") index++;
    }
  }
  return tokens;
}

/** Returns the places after one more character. */
function after(places: Places, code: string, tokens: readonly Token[]): Places {
  const next: number[] = [];
  for (const place of places) {
    const token = tokens[place];
    if (token === undefined) continue;
    if (token.kind === "text") {
      if (token.code === code) next.push(place + 1);
    } else if (token.kind === "path" || code !== "/") next.push(place);
  }
  return settled(next, tokens);
}

/** Adds the places behind stars, since a star also stands for nothing. */
function settled(places: readonly number[], tokens: readonly Token[]): Places {
  const all: number[] = [];
  for (const place of places) {
    let at = place;
    // Places ascend, so what was added last is the highest so far.
    while (at > (all.at(-1) ?? -1)) {
      all.push(at);
      if (tokens[at] === undefined || tokens[at]?.kind === "text") break;
      at++;
    }
  }
  return all;
}
