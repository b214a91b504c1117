// How much a fuzz run does. By default each target runs a bounded number of cases from a fixed seed; the long mode is set by environment variables.
import fc from 'fast-check'

const { GANTRY_FUZZ_RUNS, GANTRY_FUZZ_MINUTES, GANTRY_FUZZ_SEED, GANTRY_FUZZ_PATH } = process.env

/** Seeds that found a fault once, or that cover much: each target runs all of them in each run. */
const SEEDS = [20_261_123, 7]

/** On a slow machine a default run stops with a seed here; what it tested until then counts. */
const LONGEST_MS = 8_000

type Batch = { readonly seed: number; readonly runs: number; readonly path?: string }

function* batchesOf(runs: number): Generator<Batch> {
  if (GANTRY_FUZZ_SEED !== undefined)
    yield {
      seed: Number(GANTRY_FUZZ_SEED),
      runs: Number(GANTRY_FUZZ_RUNS ?? runs),
      ...(GANTRY_FUZZ_PATH !== undefined && { path: GANTRY_FUZZ_PATH }),
    }
  else if (GANTRY_FUZZ_MINUTES !== undefined) {
    const end = Date.now() + Number(GANTRY_FUZZ_MINUTES) * 60_000
    while (Date.now() < end) yield { seed: Math.trunc(Math.random() * 2 ** 31), runs }
  } else for (const seed of SEEDS) yield { seed, runs: Math.ceil(Number(GANTRY_FUZZ_RUNS ?? runs) / SEEDS.length) }
}

/** For the timeout of a test: the long mode has none worth naming. */
export const FUZZ_TIMEOUT_MS =
  GANTRY_FUZZ_MINUTES === undefined && GANTRY_FUZZ_RUNS === undefined ? 120_000 : 24 * 3_600_000

/** A full count that costs minutes runs in the long mode only; the title of its test names both counts. */
export const IS_LONG = GANTRY_FUZZ_MINUTES !== undefined || GANTRY_FUZZ_RUNS !== undefined

/** Known cases first, then generated ones. A failure names the seed and the path that repeat it. */
export async function fuzz<T>(
  arbitrary: fc.Arbitrary<T>,
  property: (one: T) => Promise<void>,
  { runs, known = [] }: { readonly runs: number; readonly known?: readonly T[] },
): Promise<void> {
  for (const one of GANTRY_FUZZ_PATH === undefined ? known : []) await property(one)
  for (const { seed, runs: numRuns, path } of batchesOf(runs)) {
    const end = IS_LONG ? Number.POSITIVE_INFINITY : performance.now() + LONGEST_MS
    // Not fast-check's own time limit, which leaves the case under way to disturb the next test.
    const inTime = async (one: T): Promise<void> => (performance.now() > end ? undefined : property(one))
    await fc.assert(fc.asyncProperty(arbitrary, inTime), { seed, numRuns, ...(path !== undefined && { path }) })
  }
}
