/** Breaks of lines, what terminals take for commands, and what turns the text around it: no name needs them. */
export const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
