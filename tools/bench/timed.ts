// How long a piece of work takes, in milliseconds.
export async function timed(work: () => unknown): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}
