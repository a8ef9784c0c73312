/** Why a key was not issued: the message says what to do. */
export class KeyRefused extends Error {
  override readonly name = "KeyRefused";
}
