// How long a piece of work takes, in milliseconds.
export async function timed(work: () => unknown): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}

/** The longest turn of this thread while something goes on, by the processor time it took: others on the machine do not count. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let last = process.threadCpuUsage()
  let longest = 0
  const watch = setInterval(() => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user - last.user + now.system - last.system)
    last = now
  }, 1)
  await work()
  // The turn in which the work ends is one as well.
  await new Promise((resolve) => setTimeout(resolve, 20))
  clearInterval(watch)
  return longest / 1000
}
