// Notifications in any number, passed on at most once a second for each subject; the last of a burst is never lost.
const EVERY_MS = 1_000

/** `now` is monotonic. */
export function createThrottle(monotonic: () => number) {
  const received = new Map<string, number>()
  const late = new Map<string, NodeJS.Timeout>()
  function tell(about: string, act: () => void): void {
    if (late.has(about)) return
    const wait = (received.get(about) ?? Number.NEGATIVE_INFINITY) + EVERY_MS - monotonic()
    if (wait <= 0) {
      received.set(about, monotonic())
      act()
      return
    }
    const timer = setTimeout(() => {
      late.delete(about)
      tell(about, act)
    }, Math.ceil(wait))
    late.set(about, timer.unref())
  }
  return {
    tell,
    close(): void {
      for (const timer of late.values()) clearTimeout(timer)
      late.clear()
    },
  }
}
