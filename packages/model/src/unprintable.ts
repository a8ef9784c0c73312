/** Line breaks, terminal control characters and characters that change text direction: no name needs them. */
export const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
