// Answers that stay open: kept in one place so that one timer keeps them alive and a stop can end them.
export type OpenStream = {
  /** Keeps intermediaries from closing a silent stream. */
  readonly ping: () => void
  /** Ends it politely. */
  readonly end: () => void
  /** Ends it now, with anything still unsent. */
  readonly destroy: () => void
}

export type Streams = ReturnType<typeof createStreams>

export function createStreams(pingMs = 15_000) {
  const open = new Set<OpenStream>()
  let timer: NodeJS.Timeout | undefined
  let ending = false
  const pingAll = (): void => {
    for (const stream of open) stream.ping()
  }
  return {
    /** Returns the function that forgets the stream again. */
    add: (stream: OpenStream): (() => void) => {
      open.add(stream)
      if (ending) stream.end()
      timer ??= setInterval(pingAll, pingMs).unref()
      return () => {
        open.delete(stream)
        if (open.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    size: (): number => open.size,
    endAll: (): void => {
      ending = true
      for (const stream of open) stream.end()
    },
    destroyAll: (): void => {
      for (const stream of open) stream.destroy()
    },
  }
}
