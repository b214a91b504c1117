// `npm run gateway`: the headless server from the environment, set up and built when that is still to do.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { becomeNode } from './hand-over.mjs'
import { childEnv, ensurePackages, NODE, ROOT } from './setup.mjs'
import { isStale } from './stale.mjs'

ensurePackages()
if (isStale()) {
  const built = spawnSync(NODE, [path.join(ROOT, 'tools', 'build.ts')], {
    cwd: ROOT,
    env: childEnv(),
    stdio: ['ignore', 2, 2],
  })
  if (built.status !== 0) process.exit(built.status ?? 1)
}
becomeNode([path.join(ROOT, 'dist', 'gateway', 'serve.js'), ...process.argv.slice(2)], childEnv())
