import type { ComponentChildren, JSX } from "preact";

/** What is wrong, told at once to who hears the page. Empty it stays, because readers of screens hear what comes into it. */
export function Problem({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}
