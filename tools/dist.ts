// `npm run dist`: installers for this system where Electron's binary is there; elsewhere everything up to the binary is checked.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { UPDATE_KEYS } from '../main/update-keys.ts'
import { startServer } from './bench/server.ts'
import { buildAll } from './build.ts'
import { PARTS, packIntoStandIn, runBuilder } from './pack.ts'
import { isStale } from './stale.mjs'
import { KEY_VARIABLES, privateKeysFrom, signFeeds } from './update-signing.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const MIB = 2 ** 20
const say = (line: string): void => console.log(line)

/** The targets of electron-builder.yml for this system. */
const TARGETS = {
  linux: ['--linux', 'deb', 'rpm', 'AppImage'],
  darwin: ['--mac', 'dmg', 'zip'],
  win32: ['--win', 'nsis'],
} as const

/** Electron's own folder in its package, when it has been fetched: `npx install-electron`. */
function electronDist(): string | undefined {
  const folder = path.join(ROOT, 'node_modules', 'electron')
  const name = path.join(folder, 'path.txt')
  if (!existsSync(name)) return undefined
  const dist = path.join(folder, 'dist')
  return existsSync(path.join(dist, readFileSync(name, 'utf8').trim())) ? dist : undefined
}

async function makeInstallers(dist: string, everyArch: boolean): Promise<boolean> {
  const platform = process.platform
  if (platform !== 'linux' && platform !== 'darwin' && platform !== 'win32') {
    say(`There are no installers for ${platform}; Linux, macOS and Windows have some.`)
    return false
  }
  const archs = everyArch ? ['x64', 'arm64'] : [process.arch]
  const lacks = archs
    .map((arch) => `@koromix/koffi-win32-${arch}`)
    .filter((name) => !existsSync(path.join(ROOT, 'node_modules', name)))
  if (platform === 'win32' && lacks.length > 0) {
    // npm installs what this processor loads.
    say(`Local servers would not run: npm install --no-save --force --ignore-scripts ${lacks.join(' ')}`)
    return false
  }
  // The binary at hand is this machine's; those of other processors are fetched.
  const args = everyArch ? ['--x64', '--arm64'] : [`--${process.arch}`, `-c.electronDist=${dist}`]
  say(`making ${TARGETS[platform].slice(1).join(', ')} for ${everyArch ? 'x64 and arm64' : process.arch}…`)
  const { code, output } = await runBuilder([...TARGETS[platform], ...args])
  if (code !== 0) {
    say(output)
    return false
  }
  const release = path.join(ROOT, 'release')
  for (const name of readdirSync(release).filter((each) => /\.(exe|dmg|zip|deb|rpm|AppImage)$/.test(each)))
    say(`  release/${name}  ${(statSync(path.join(release, name)).size / MIB).toFixed(1)} MiB`)
  signTheFeeds()
  return true
}

/** The feeds are what an update starts from; the application refuses an unsigned one. */
function signTheFeeds(): void {
  const keys = privateKeysFrom(process.env)
  if (keys.length === 0) {
    say(`The update feeds are not signed, and the application refuses them: set ${KEY_VARIABLES[0]} to sign them.`)
    return
  }
  for (const name of signFeeds(path.join(ROOT, 'release'), keys, UPDATE_KEYS)) say(`  release/${name} is signed`)
}

async function checkUpToTheBinary(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-dist-'))
  try {
    for (const arch of ['x64', 'arm64'] as const) {
      const { files, unpacked, bytes, extract } = await packIntoStandIn(arch, path.join(folder, arch))
      say(
        `linux-${arch}: ${files.length} entries, ${unpacked.filter((file) => file.endsWith('.node')).join(' ')} beside them`,
      )
      for (const part of PARTS) say(`  ${part.padEnd(18)} ${(bytes(part) / MIB).toFixed(2).padStart(8)} MiB`)
      say(`  ${'all'.padEnd(18)} ${(bytes('/') / MIB).toFixed(2).padStart(8)} MiB`)
      if (process.platform !== 'linux' || process.arch !== arch) continue
      const app = path.join(folder, 'app')
      extract(app)
      const server = await startServer(path.join(app, 'dist', 'gateway', 'serve.js'))
      say(`  the packed gateway starts on plain Node: ${server.url} after ${server.startMs.toFixed(0)} ms`)
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (isStale()) await buildAll(say)
const dist = electronDist()
if (dist === undefined) {
  say(
    'Electron’s binary is not here (npx install-electron fetches it), so a stand-in is packed and no installer is made.',
  )
  await checkUpToTheBinary()
} else if (!(await makeInstallers(dist, process.argv.includes('--every-arch')))) process.exitCode = 1
