// What follows a crash of the gateway: another start, each a little later, then safe mode, then nothing more.
const WINDOW_MS = 5 * 60_000
const BACK_OFF_MS = [500, 2_000, 8_000] as const

export type CrashAnswer =
  | { readonly act: 'restart'; readonly afterMs: number }
  | { readonly act: 'safe'; readonly crashes: number }
  | { readonly act: 'stop' }

/** Crashes of safe mode itself have nothing left to switch off. */
export function createCrashPolicy(monotonic: () => number): (inSafeMode: boolean) => CrashAnswer {
  let recent: number[] = []
  return (inSafeMode) => {
    const at = monotonic()
    recent = [...recent.filter((each) => at - each < WINDOW_MS), at]
    if (inSafeMode) return { act: 'stop' }
    const afterMs = BACK_OFF_MS[recent.length - 1]
    if (afterMs !== undefined) return { act: 'restart', afterMs }
    const crashes = recent.length
    // Leaving safe mode starts a new count: the user had time to fix the cause.
    recent = []
    return { act: 'safe', crashes }
  }
}
