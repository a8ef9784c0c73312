// What children that count the bytes of their clients answer to the bench which forked them.

/**
 * Answers each message of the parent, which is a number of bytes, with `got`, as soon as that many have come since the
 * answer before. Returns what counts them.
 */
export function answerByteCounts(): (bytes: number) => void {
  let bytes = 0;
  let wanted = Infinity;
  const tell = (): void => {
    if (bytes < wanted) return;
    bytes -= wanted;
    wanted = Infinity;
    process.send?.("got");
  };
  process.on("message", (next: number) => {
    wanted = next;
    tell();
  });
  return (more) => {
    bytes += more;
    tell();
  };
}
