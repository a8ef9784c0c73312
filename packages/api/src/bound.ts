import type { Clock, Kernel } from "@ledge/kernel";

/** Returns the id of the device with a native id; undefined while the hub has none. */
export function boundTo(kernel: Pick<Kernel, "all">, protocol: string, native: string): string | undefined {
  for (const [id, binding] of kernel.all("binding"))
    if (binding.protocol === protocol && binding.native === native && !binding.removed) return id;
  return undefined;
}

/**
 * Waits until the hub has a device: an adapter announces a device before it answers, and the hub records it a
 * little later.
 * @returns its id; undefined after `atMostMs`
 */
export function whenBound(
  { kernel, clock }: { readonly kernel: Kernel; readonly clock: Clock },
  protocol: string,
  native: string,
  atMostMs: number,
): Promise<string | undefined> {
  const found = boundTo(kernel, protocol, native);
  if (found !== undefined) return Promise.resolve(found);
  return new Promise((resolve) => {
    const finish = (id: string | undefined): void => {
      end();
      cancel();
      resolve(id);
    };
    const cancel = clock.after(atMostMs, () => finish(undefined));
    const end = kernel.subscribe({
      published: () => {
        const id = boundTo(kernel, protocol, native);
        if (id !== undefined) finish(id);
      },
    });
  });
}
