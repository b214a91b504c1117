// `npm test`: sets up, checks, builds, runs every test, and closes with one line of counts. Runs on Node 20.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { childEnv, ensureBrowser, ensurePackages, NODE, ROOT, say } from './setup.mjs'

ensurePackages()
const browser = ensureBrowser()
if (browser.reason) say(`browser tests will be skipped: ${browser.reason}`)
else say(`browser: ${browser.path} (from ${browser.from})`)

const env = childEnv(browser.reason ? { GANTRY_NO_BROWSER: browser.reason } : { CHROMIUM_PATH: browser.path })
const tests = spawnSync(NODE, [path.join(ROOT, 'tools', 'run-tests.ts'), ...process.argv.slice(2)], {
  cwd: ROOT,
  env,
  stdio: 'inherit',
})
process.exit(tests.status ?? 1)
