import type { JSX } from "preact";

/**
 * Returns a switch between on and off. Unlike one that is `disabled` it keeps the focus while it is of no use. It is drawn
 * with what it is in, once per report: each tile has one.
 */
export function switchButton(props: {
  readonly label: string;
  readonly isOn: boolean;
  /** Whether it shows what was asked for and not what has been reported. */
  readonly isPending?: boolean;
  /** Why it is of no use now; undefined while it is of use, and empty where nobody needs to be told. */
  readonly blocked: string | undefined;
  readonly flip: () => void;
}): JSX.Element {
  const { label, isOn, isPending = false, blocked, flip } = props;
  return (
    <button
      type="button"
      role="switch"
      class={isPending ? "switch pending" : "switch"}
      aria-checked={isOn}
      aria-disabled={blocked !== undefined}
      aria-label={label}
      title={blocked}
      onClick={() => {
        if (blocked === undefined) flip();
      }}
    >
      <span class="knob" />
    </button>
  );
}
