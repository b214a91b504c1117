// Runs npm, uv and an installed server for the person at the terminal: the one file of the command line that starts them.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { startable } from '../../windows/batch.ts'
import { createJob } from '../../windows/job.ts'
import { type Environment, foundIn, variable } from './environment.ts'

type Run = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Environment
  readonly signal: AbortSignal
}

const MOST_TEXT = 4_000_000
const MOST_SHOWN = 2_000

const isWindows = process.platform === 'win32'
/** What an installation and a server may hold together there. */
const MOST_MEMORY = 64 * 1024 ** 3

/** In its own group or Job Object, which `end` ends. */
export function startTool({ file, args, cwd, env }: Omit<Run, 'signal'>): {
  readonly child: ChildProcessWithoutNullStreams
  readonly end: () => void
} {
  const given = { file, args }
  const started = isWindows
    ? startable(given, variable(env, 'SystemRoot') ?? 'C:\\Windows')
    : { ...given, verbatim: false }
  const child = spawn(started.file, [...started.args], {
    cwd,
    env: { ...env },
    detached: !isWindows,
    stdio: 'pipe',
    shell: false,
    windowsHide: true,
    windowsVerbatimArguments: started.verbatim,
  })
  return { child, end: isWindows ? endOfJob(child) : () => endGroup(child) }
}

function endGroup({ pid }: ChildProcessWithoutNullStreams): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended in the meantime.
  }
}

function endOfJob({ pid }: ChildProcessWithoutNullStreams): () => void {
  const job = createJob(MOST_MEMORY)
  if (pid !== undefined) job.hold(pid)
  let isOpen = true
  return () => {
    if (!isOpen) return
    isOpen = false
    job.end()
    job.close()
  }
}

/** Batch files are started in another way, which their whole name shows. */
async function found(run: Run): Promise<Run> {
  if (!isWindows) return run
  const file = await foundIn(run.file, run.env, run.cwd)
  if (file === undefined) throw new Error(`${run.file} is not installed`)
  return { ...run, file }
}

/** What it wrote. Rejects with its last output where it fails. */
export async function runTool(run: Run): Promise<string> {
  const { child, end } = startTool(await found(run))
  child.stdin.on('error', () => undefined)
  child.stdin.end()
  let out = ''
  let error = ''
  child.stdout.on('data', (chunk: Buffer) => {
    if (out.length < MOST_TEXT) out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    error = (error + chunk.toString()).slice(-MOST_SHOWN)
  })
  run.signal.addEventListener('abort', end, { once: true })
  return new Promise((resolve, reject) => {
    child.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new Error(cause.code === 'ENOENT' ? `${run.file} is not installed` : cause.message))
    })
    child.once('close', (code) => {
      run.signal.removeEventListener('abort', end)
      end()
      if (code === 0) resolve(out)
      else
        reject(new Error(`${run.file} ended with code ${code ?? 1}: ${error.trim() || out.trim().slice(-MOST_SHOWN)}`))
    })
  })
}
