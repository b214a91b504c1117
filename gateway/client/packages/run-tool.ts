// Runs npm, uv and an installed server for the person at the terminal: the one file of the command line that starts them.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

export type Environment = Readonly<Record<string, string | undefined>>

type Run = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Environment
  readonly signal: AbortSignal
}

const MOST_TEXT = 4_000_000
const MOST_SHOWN = 2_000

/** In a group of its own, which `end` ends. */
export function startTool({ file, args, cwd, env }: Omit<Run, 'signal'>): {
  readonly child: ChildProcessWithoutNullStreams
  readonly end: () => void
} {
  const child = spawn(file, [...args], { cwd, env: { ...env }, detached: true, stdio: 'pipe', shell: false })
  return {
    child,
    end() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It ended in the meantime.
      }
    },
  }
}

/** What it wrote. Rejects with its last output where it fails. */
export function runTool(run: Run): Promise<string> {
  const { child, end } = startTool(run)
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
