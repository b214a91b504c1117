// `npm run check`: types, format, lint, walls, the path of a call, dead code and words, side by side. `-- --fix` formats and fixes what can be fixed.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = path.resolve(import.meta.dirname, '..')
const BIN = path.join(ROOT, 'node_modules', '.bin')
const CHECKED_TYPES = path.join('node_modules', '.cache', 'check.tsbuildinfo')
// The other checks run beside it: checkers of the same program in more threads than that take turns and repeat work.
const CHECKERS = String(Math.max(1, Math.floor(availableParallelism() / 2)))
const FOLDERS = ['gateway', 'pcg-bridge', 'main', 'preload', 'renderer', 'e2e', 'tools']

type Check = { readonly name: string; readonly command: readonly string[]; readonly fix?: readonly string[] }
const CHECKS: readonly Check[] = [
  // Unchanged files are not checked again: a minute of processor time becomes seconds.
  {
    name: 'types',
    command: ['tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', CHECKED_TYPES, '--checkers', CHECKERS],
  },
  { name: 'format', command: ['biome', 'ci', '--diagnostic-level=error'], fix: ['biome', 'check', '--write'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'], fix: ['oxlint', '--type-aware', '--fix'] },
  { name: 'walls', command: ['depcruise', '--config', '.dependency-cruiser.cjs', '-T', 'err', ...FOLDERS] },
  { name: 'call path', command: ['node', 'tools/call-path.ts'] },
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints'] },
  { name: 'texts', command: ['node', 'tools/texts.ts'] },
  { name: 'words', command: ['node', 'tools/words.ts'] },
]

export type CheckResult = {
  readonly name: string
  readonly passed: boolean
  readonly output: string
  readonly seconds: number
}

function run(command: readonly string[]): Promise<{ passed: boolean; output: string }> {
  const [program, ...args] = command
  const windows = process.platform === 'win32'
  return new Promise((resolve) => {
    const child = spawn(path.join(BIN, windows ? `${program}.cmd` : String(program)), args, {
      cwd: ROOT,
      shell: windows,
      // The checkers written in Go spend a quarter of their time on collecting garbage otherwise.
      env: { ...process.env, GOGC: '400' },
    })
    let output = ''
    const collect = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => resolve({ passed: false, output: String(error) }))
    child.on('close', (code) => resolve({ passed: code === 0, output }))
  })
}

export async function check(fix = false): Promise<CheckResult[]> {
  const one = async ({ name, command, fix: repair }: Check): Promise<CheckResult> => {
    const started = Date.now()
    if (fix && repair) await run(repair)
    const { passed, output } = await run(command)
    const seconds = (Date.now() - started) / 1000
    process.stdout.write(
      `${passed ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(1)} s)\n${passed ? '' : `${output.trim()}\n`}`,
    )
    return { name, passed, output, seconds }
  }
  const results: CheckResult[] = []
  // Fixing rewrites files the other checks read, so then they take turns.
  if (fix) for (const each of CHECKS) results.push(await one(each))
  else results.push(...(await Promise.all(CHECKS.map(one))))
  return results
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const results = await check(process.argv.includes('--fix'))
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
}
