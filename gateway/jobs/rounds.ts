// Rounds of one job: the next begins some time after the last has ended, and a stop waits for the one under way.

export type Rounds = {
  start(): void
  stop(): Promise<void>
}

export type PromptRounds = Rounds & {
  /** A round as soon as possible: now, or after the one under way. */
  soon(): void
}

/** `round` never rejects. */
export function createRounds(pauseMs: number, round: () => Promise<void>): PromptRounds {
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> = Promise.resolve()
  let stopped = false
  let waiting = false
  let again = false

  function begin(): void {
    waiting = false
    again = false
    current = round().then(() => {
      if (stopped) return
      waiting = true
      timer = setTimeout(begin, again ? 0 : pauseMs)
      timer.unref()
    })
  }

  return {
    start: begin,
    soon() {
      again = true
      if (!waiting || stopped) return
      clearTimeout(timer)
      begin()
    },
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
