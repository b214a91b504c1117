// Makes a bare machine ready: packages and Node 24 from the npm registry, a browser for the tests. Runs on Node 20.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const MODULES = path.join(ROOT, 'node_modules')
const STAMP = path.join(MODULES, '.gantry-setup')
const WINDOWS = process.platform === 'win32'

/** The package of the npm registry that holds Node for this system. */
const NODE_BUILD = `node-${WINDOWS ? 'win' : process.platform}-${process.arch}`

export const NODE = path.join(MODULES, 'node', 'bin', WINDOWS ? 'node.exe' : 'node')

export const say = (line) => process.stderr.write(`gantry: ${line}\n`)

function run(command, args, options = {}) {
  return spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2], shell: WINDOWS, ...options }).status === 0
}

/** What an installation depends on: the lock file and the machine it was made for. */
function wanted() {
  const lock = readFileSync(path.join(ROOT, 'package-lock.json'))
  return createHash('sha256').update(lock).update(`${process.platform}-${process.arch}`).digest('hex')
}

function nodeWorks() {
  const probe = spawnSync(NODE, ['--version'], { encoding: 'utf8' })
  return probe.status === 0 && Number(probe.stdout.slice(1).split('.')[0]) >= 24
}

function fail(message) {
  say(message)
  process.exit(1)
}

/** Packages and Node 24. Does nothing, in a few milliseconds, when they are there. */
export function ensurePackages() {
  const stamp = wanted()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp && existsSync(NODE)) return
  say('installing packages and Node 24 from the npm registry (first run, or the lock file changed; about a minute)…')
  const started = Date.now()
  // Not `npm ci`: it insists that the lock file names the builds for every platform, and registries that mirror only
  // the platforms they serve cannot give them. `--no-save` keeps the lock file as it is committed.
  // No install script runs: none is needed but the one of `node`, done here by hand, and npm would compile the database
  // driver although its build for this system is in its package, for which a bare machine lacks headers and compiler.
  const options = ['--no-save', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  if (!run('npm', ['install', ...options, `${NODE_BUILD}@${nodeVersion()}`]))
    fail(
      'npm could not install the packages. Its own message is above; check the connection to the npm registry and start again.',
    )
  fillNode()
  writeFileSync(STAMP, stamp)
  say(`packages are ready (${Math.round((Date.now() - started) / 1000)} s)`)
}

const nodeVersion = () => JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).devDependencies.node

/** What the install script of the `node` package does: the binary into its place, and onto the path of npm scripts. */
function fillNode() {
  if (!nodeWorks()) {
    mkdirSync(path.dirname(NODE), { recursive: true })
    copyFileSync(path.join(MODULES, NODE_BUILD, 'bin', path.basename(NODE)), NODE)
    run('npm', ['rebuild', '--ignore-scripts', '--loglevel=error', 'node'])
  }
  if (!nodeWorks()) fail(`${NODE_BUILD} ${nodeVersion()} does not run on this system: Gantry needs Node 24 for it.`)
}

/** Debian's, the better one first: a page costs the one without windows a third less of the processor. */
const DEBIAN_CHROMIUMS = ['chromium-headless-shell', 'chromium']
const debianChromium = () => DEBIAN_CHROMIUMS.map((name) => `/usr/bin/${name}`).find((file) => existsSync(file))

/** A browser for the end-to-end tests: `{ path, from }`, or `{ reason }` when none can be found. */
export function ensureBrowser() {
  const given = process.env.CHROMIUM_PATH
  if (given && existsSync(given)) return { path: given, from: 'CHROMIUM_PATH' }
  const there = debianChromium()
  if (there) return { path: there, from: 'the system' }
  const own = playwrightBrowser()
  if (own) return { path: own, from: 'Playwright' }
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    say('installing Chromium from Debian packages for the browser tests…')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    run('apt-get', ['update', '-qq'], { env })
    for (const name of DEBIAN_CHROMIUMS) {
      run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name, 'fonts-liberation'], { env })
      const installed = debianChromium()
      if (installed) return { path: installed, from: 'Debian packages' }
    }
  }
  say("downloading Playwright's Chromium for the browser tests…")
  run(NODE, [path.join(MODULES, 'playwright', 'cli.js'), 'install', 'chromium'])
  const downloaded = playwrightBrowser()
  return downloaded
    ? { path: downloaded, from: 'Playwright' }
    : { reason: 'no Chromium: neither Debian packages nor Playwright could provide one' }
}

function playwrightBrowser() {
  const ask = "import('playwright').then(({ chromium }) => process.stdout.write(chromium.executablePath()))"
  const answer = spawnSync(NODE, ['--input-type=module', '-e', ask], { cwd: ROOT, encoding: 'utf8' })
  return answer.status === 0 && existsSync(answer.stdout) ? answer.stdout : undefined
}

/** The environment children run in: Node 24 first on the path, as npm scripts have it. */
export function childEnv(extra = {}) {
  const bins = [path.join(MODULES, 'node', 'bin'), path.join(MODULES, '.bin')].join(path.delimiter)
  return { ...process.env, PATH: `${bins}${path.delimiter}${process.env.PATH ?? ''}`, ...extra }
}

// `node tools/setup.mjs` sets up and does nothing else.
if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) ensurePackages()
