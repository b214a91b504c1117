// What `gantry doctor` says of one thing: how it is, and what to do about it.
export type Check = {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly said: string
  /** Null where there is nothing to do. */
  readonly todo: string | null
}

export const ok = (check: string, said: string): Check => ({ check, state: 'ok', said, todo: null })
export const warn = (check: string, said: string, todo: string): Check => ({ check, state: 'warn', said, todo })
export const fail = (check: string, said: string, todo: string): Check => ({ check, state: 'fail', said, todo })

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
