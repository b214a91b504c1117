#!/usr/bin/env node
// `gantry`: the command line of a gateway, the gateway itself with `gantry serve`, the bridge to it with `gantry stdio`.
import { readFileSync } from 'node:fs'
import { runCli } from './client/cli/run.ts'
import { VERSION } from './version.ts'

// Node would open a debugger, which reads every key, for any process that may send this signal.
process.on('SIGUSR1', () => undefined)

const args = process.argv.slice(2)
if (args[0] === 'serve') {
  // What follows is the server's.
  process.argv.splice(2, 1)
  await import('./serve.ts')
} else if (args[0] === 'database') {
  const { runDatabase } = await import('./database-copy.ts')
  process.exitCode = await runDatabase(args.slice(1), process.env)
} else if (args[0] === 'stdio') {
  await import('./serve-stdio.ts')
} else {
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
  // The reader may stop reading: `gantry tail | head`.
  process.stdout.on('error', () => process.exit(0))
  process.exitCode = await runCli({
    args,
    env: process.env,
    version: VERSION,
    readFile: (file) => readFileSync(file, 'utf8'),
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    signal: ended.signal,
  })
}
