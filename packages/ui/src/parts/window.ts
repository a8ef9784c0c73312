/** Rows above and below the sight that are drawn too, so that a scroll meets them ready. */
const beside = 6;

/**
 * Returns which rows of a list to draw, from the first up to before the last.
 * @param height of a row @param view where its top is above that of the screen, and the height of the screen; all px
 */
export function windowOf(
  count: number,
  height: number,
  view: { readonly top: number; readonly height: number },
): { readonly from: number; readonly to: number } {
  const first = Math.floor(view.top / height) - beside;
  const last = Math.ceil((view.top + view.height) / height) + beside;
  const from = Math.min(Math.max(0, first), count);
  return { from, to: Math.min(count, Math.max(from, last)) };
}
