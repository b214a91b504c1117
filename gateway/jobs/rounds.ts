// Rounds of one job: the next begins some time after the last has ended, and a stop waits for the one under way.

export type Rounds = ReturnType<typeof createRounds>

/** `round` never rejects. */
export function createRounds(pauseMs: number, round: () => Promise<void>) {
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
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
