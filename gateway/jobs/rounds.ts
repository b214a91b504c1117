// Rounds of one job: the next begins some time after the last has ended, and a stop waits for the one under way.

export type Rounds = {
  start(): void
  stop(): Promise<void>
}

/** `round` never rejects. */
export function createRounds(pauseMs: number, round: () => Promise<void>): Rounds {
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> = Promise.resolve()
  let stopped = false

  function begin(): void {
    current = round().then(() => {
      if (stopped) return
      timer = setTimeout(begin, pauseMs)
      timer.unref()
    })
  }

  return {
    start: begin,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
