// `npm run gateway`: the headless server from the environment, set up and built when that is still to do.
import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { childEnv, ensurePackages, NODE, ROOT } from './setup.mjs'
import { isStale } from './stale.mjs'

ensurePackages()
const entry = path.join(ROOT, 'dist', 'gateway', 'serve.js')
if (isStale()) {
  const built = spawnSync(NODE, [path.join(ROOT, 'tools', 'build.ts')], {
    cwd: ROOT,
    env: childEnv(),
    stdio: ['ignore', 2, 2],
  })
  if (built.status !== 0) process.exit(built.status ?? 1)
}

if (Number(process.versions.node.split('.')[0]) >= 24) {
  process.argv[1] = entry
  await import(pathToFileURL(entry).href)
} else {
  // The first run has only the machine's own Node: hand over, and pass on what stops a server.
  const child = spawn(NODE, [entry, ...process.argv.slice(2)], { env: childEnv(), stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
