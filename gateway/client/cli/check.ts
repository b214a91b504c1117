// What `gantry doctor` says of one thing: how it is, and what to do about it.
export type Check = {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly finding: string
  /** Null where there is nothing to do. */
  readonly todo: string | null
}

export const ok = (check: string, text: string): Check => ({ check, state: 'ok', finding: text, todo: null })
export const warn = (check: string, text: string, todo: string): Check => ({
  check,
  state: 'warn',
  finding: text,
  todo,
})
export const fail = (check: string, text: string, todo: string): Check => ({
  check,
  state: 'fail',
  finding: text,
  todo,
})

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
