// `npm start`: sets up, builds, and runs the main job: the desktop app, or the gateway with the embedded editor. Runs on Node 20.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { becomeNode, runAsChild } from './hand-over.mjs'
import { childEnv, ensurePackages, NODE, ROOT, say } from './setup.mjs'
import { isStale } from './stale.mjs'

const HELP = `Usage: npm start [-- --headless]

Runs the desktop app where Electron and a display are there, otherwise the gateway with the embedded PCG editor.

  --headless   run the gateway without a window
  --help       this text

Settings are environment variables: docs/settings.md lists them.`

function options() {
  try {
    return parseArgs({ options: { headless: { type: 'boolean' }, help: { type: 'boolean' } } }).values
  } catch (error) {
    say(`${error.message}. Options are --headless and --help.`)
    process.exit(64)
  }
}

/** The Electron binary, when its package has one; the package installs without it and fetches it on demand. */
function electronBinary() {
  const folder = path.join(ROOT, 'node_modules', 'electron')
  const name = path.join(folder, 'path.txt')
  const binary = existsSync(name) ? path.join(folder, 'dist', readFileSync(name, 'utf8').trim()) : ''
  return binary && existsSync(binary) ? binary : undefined
}

function hasDisplay() {
  if (process.platform !== 'linux') return true
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

/** What to run and why, so that the choice can be printed. */
function choose(headless) {
  if (headless) return { why: '--headless was given' }
  if (!hasDisplay()) return { why: 'this machine has no display' }
  if (!electronBinary()) {
    say('fetching the Electron binary (once)…')
    spawnSync(NODE, [path.join(ROOT, 'node_modules', 'electron', 'install.js')], {
      cwd: ROOT,
      stdio: ['ignore', 2, 2],
      timeout: 300_000,
    })
  }
  const electron = electronBinary()
  return electron
    ? { electron, why: 'Electron and a display are here' }
    : { why: 'the Electron binary could not be fetched' }
}

const { headless, help } = options()
if (help) {
  console.log(HELP)
  process.exit(0)
}
ensurePackages()
if (isStale()) {
  const built = spawnSync(NODE, [path.join(ROOT, 'tools', 'build.ts')], {
    cwd: ROOT,
    env: childEnv(),
    stdio: ['ignore', 2, 2],
  })
  if (built.status !== 0) {
    say('the build failed; its message is above')
    process.exit(1)
  }
}
const choice = choose(headless)
say(`${choice.electron ? 'starting the desktop app' : 'starting the gateway without a window'}: ${choice.why}`)
if (choice.electron) runAsChild(choice.electron, [ROOT], childEnv())
else
  becomeNode(
    [path.join(ROOT, 'dist', 'gateway', 'serve.js'), '--greet'],
    childEnv({
      PCG_ENABLED: process.env.PCG_ENABLED ?? 'true',
      // As on the desktop: one person's agents author graphs call by call.
      RATE_LIMIT_MCP: process.env.RATE_LIMIT_MCP ?? '6000',
      LOG_FORMAT: process.env.LOG_FORMAT ?? 'text',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    }),
  )
