// Sends the newest value as soon as the previous one arrived; values in between are left out.
export function newestOnly<T>(send: (value: T) => Promise<unknown>): {
  put(value: T): void
  /** Until the last value arrived. */
  settled(): Promise<void>
} {
  let next: { readonly value: T } | null = null
  let sending: Promise<void> | null = null
  async function work(): Promise<void> {
    while (next) {
      const { value } = next
      next = null
      // The next value may succeed where this one is refused.
      await send(value).catch(() => undefined)
    }
    sending = null
  }
  return {
    put(value) {
      next = { value }
      sending ??= work()
    },
    settled: async () => (await sending) ?? undefined,
  }
}
