// The last step of `npm start`, `npm run gateway` and the other programs: one process is left, and signals reach it. Runs on Node 20.
import { spawn } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { NODE, ROOT } from './setup.mjs'

const WITH_PARENT = path.join(ROOT, 'tools', 'with-parent.mjs')
/** npm kills only the shell between itself and a script, so a program that npm started ends when that shell is gone. */
const parent = process.env.npm_lifecycle_event === undefined ? undefined : process.ppid

/** This process becomes Node 24 running the program; where no process can (Windows, Node 20), a child runs it. */
export function becomeNode(args, env) {
  const watched = parent === undefined ? env : { ...env, GANTRY_PARENT: String(parent) }
  const node = [...(parent === undefined ? [] : ['--import', WITH_PARENT]), ...args]
  if (process.platform !== 'win32' && process.execve) process.execve(NODE, [NODE, ...node], watched)
  runAsChild(NODE, args, env)
}

/** Runs the program, passes each signal on once, and ends as it ends. */
export function runAsChild(file, args, env) {
  // In a group of its own: a terminal signals its whole group, and the child would receive Ctrl-C twice.
  const detached = process.platform !== 'win32'
  const child = spawn(file, args, { env, stdio: 'inherit', detached })
  const watch = setInterval(() => {
    if (parent !== undefined && process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, 250).unref()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      clearInterval(watch)
      child.kill(signal)
    })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]))
}
