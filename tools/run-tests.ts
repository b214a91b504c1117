// Runs the checks, the build and all tests, names every skip with its reason, and prints the closing line.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { buildAll } from './build.ts'
import { reachedBy } from './changed.ts'
import { check } from './check.ts'
import { isStale } from './stale.mjs'

const ROOT = path.resolve(import.meta.dirname, '..')

type Assertion = { readonly fullName: string; readonly status: string; readonly failureMessages?: readonly string[] }
type Report = {
  readonly success: boolean
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly Assertion[]
  }[]
}
type Pending = { readonly total: number; readonly byWork: Readonly<Record<string, number>> }
const REPORTERS = ['--reporter=default', '--reporter=json', '--reporter=tools/errors-outside.ts']

type Count = { passed: number; failed: number; skipped: number }

function pendingRules(): Pending {
  const answer = spawnSync(process.execPath, [path.join(ROOT, 'e2e', 'requirements', 'pending.ts')], {
    encoding: 'utf8',
    cwd: ROOT,
  })
  if (answer.status !== 0) throw new Error(`the requirements could not be read:\n${answer.stderr}`)
  return JSON.parse(answer.stdout) as Pending
}

/** What a process writes before it aborts: V8, Node, the C library, Rust. */
const LAST_WORDS =
  /fatal error|assertion .*failed|terminate called|panicked at|out of memory|^(?:free|malloc|double free|corrupted)/iu
const LAST_LINES = 25

/** Keeps why a worker aborted, which is lost in a long output otherwise. */
async function runWorkers(args: readonly string[], env: NodeJS.ProcessEnv) {
  const run = spawn(process.execPath, [VITEST, 'run', ...REPORTERS, ...args], {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  })
  run.stderr.pipe(process.stderr, { end: false })
  const lastWords: string[] = []
  createInterface({ input: run.stderr }).on('line', (line) => {
    if (lastWords.length === 0 ? LAST_WORDS.test(line) : lastWords.length < LAST_LINES) lastWords.push(line)
  })
  const [status] = (await once(run, 'close')) as [number | null]
  return { status, lastWords }
}

async function runVitest(args: readonly string[], count: Count): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-test-'))
  const reportFile = path.join(folder, 'report.json')
  const outside = path.join(folder, 'outside')
  writeFileSync(outside, '')
  const run = await runWorkers([`--outputFile.json=${reportFile}`, ...args], { GANTRY_ERRORS_OUTSIDE: outside })
  const errors = readFileSync(outside, 'utf8').split('\n').filter(Boolean)
  let report: Report
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  } catch {
    console.error('the test run ended without a report')
    count.failed += 1
    return
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const before = count.failed
  for (const file of report.testResults) {
    // A file that cannot even be loaded has no assertions to fail.
    if (file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed')) {
      count.failed += 1
      console.log(`FAIL ${path.relative(ROOT, file.name)}: ${file.message ?? 'did not load'}`)
    }
    for (const test of file.assertionResults) {
      if (test.status === 'passed') count.passed += 1
      else if (test.status === 'failed') count.failed += 1
      else {
        count.skipped += 1
        console.log(`skipped: ${test.fullName}`)
      }
    }
  }
  printSlowest(report)
  for (const error of errors) console.log(`FAIL outside any test: ${error}`)
  if (errors.length > 0) for (const line of run.lastWords) console.log(`  ${line}`)
  count.failed += errors.length
  if (run.status !== 0 && count.failed === before) {
    count.failed += 1
    console.log('FAIL the test run ended with an error outside any test (see above)')
  }
}

const VITEST = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')

const SLOWEST = 20
/** Names the files that a whole run waits for. */
function printSlowest({ testResults }: Report): void {
  if (testResults.length < 2 * SLOWEST) return
  const timed = testResults.map(({ name, startTime, endTime }) => ({
    name: path.relative(ROOT, name),
    seconds: (endTime - startTime) / 1000,
  }))
  console.log(`the ${SLOWEST} slowest of ${timed.length} files:`)
  for (const { name, seconds } of timed.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST))
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`)
}

const args = process.argv.slice(2)
const count: Count = { passed: 0, failed: 0, skipped: 0 }
if (args.length === 0) {
  for (const { passed } of await check()) count[passed ? 'passed' : 'failed'] += 1
}
if (isStale()) await buildAll((line) => console.log(line))
const [only = ''] = args.length === 1 && args[0]?.startsWith('--changed') ? args : []
const tests = only === '' ? args : reachedBy(ROOT, only)
if (only === '' || tests.length > 0) await runVitest(tests, count)
if (args.length === 0) {
  const pending = pendingRules()
  for (const [work, rules] of Object.entries(pending.byWork)) console.log(`skipped: ${rules} rules pending: ${work}`)
  console.log(`${pending.total} rules of the specification are pending; each counts as skipped`)
  count.skipped += pending.total
}
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
// A change may reach no test; any other run without a passed one ran nothing.
process.exitCode = count.failed === 0 && (count.passed > 0 || args.includes('--changed')) ? 0 : 1
