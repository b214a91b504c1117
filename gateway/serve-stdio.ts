// `gantry stdio`: a client that only starts programs reaches an endpoint of a gateway. Built into one file of its own.
import { readFileSync } from 'node:fs'
import { runStdio } from './client/stdio/run.ts'

const ended = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => {
    ended.abort()
    // Waiting for input is not ended by a signal of ours.
    process.stdin.destroy()
  })
// Node would open a debugger, which reads the key, for any process that may send this signal.
process.on('SIGUSR1', () => undefined)
// A client that is gone reads nothing; what it started ends with it.
process.stdout.on('error', () => process.exit(0))

const args = process.argv.slice(2)
process.exitCode = await runStdio({
  args: args[0] === 'stdio' ? args.slice(1) : args,
  env: process.env,
  readFile: (file) => readFileSync(file, 'utf8'),
  input: process.stdin,
  output: process.stdout,
  log: (line) => void process.stderr.write(`${line}\n`),
  signal: ended.signal,
})
process.stdin.destroy()
