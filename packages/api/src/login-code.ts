/** Letters that nobody takes for one another, and that spell no words (RFC 8628 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const codeLetters = 7;

/** Makes bytes that nobody can foresee. */
export type RandomBytes = (count: number) => Uint8Array;

/** Returns a code of 7 letters that people read and type: one of 1.28 thousand millions. */
export function letterCode(random: RandomBytes): string {
  // 64 bits make the bias of the remainder negligible.
  let number = Buffer.from(random(8)).readBigUInt64BE();
  let code = "";
  for (let place = 0; place < codeLetters; place++) {
    code += letters[Number(number % 20n)];
    number /= 20n;
  }
  return code;
}

/** Returns a code as it was made, from how people type it: in any case, with hyphens or spaces. */
export function typedCode(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z]/g, "");
}
