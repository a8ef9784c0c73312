/** A text for one and for many. */
export type Plural = { readonly one: string; readonly other: string };
/** A text of the interface. Words in braces are parameters. */
export type Text = string | Plural;
/** The same texts in another language. */
export type Translated<T> = { readonly [K in keyof T]: T[K] extends string ? string : Plural };
