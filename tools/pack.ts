// Packs the application as electron-builder packs it, into a stand-in for Electron: all but the binary itself.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { extractAll, listPackage } from '@electron/asar'
import { SENTINEL } from '@electron/fuses/dist/constants.js'

const ROOT = path.resolve(import.meta.dirname, '..')
const BUILDER = path.join(ROOT, 'node_modules', 'electron-builder', 'cli.js')
/** The mark by which Electron's own binaries are known to carry fuses, their version, and as many as version 1 has. */
const FUSES = Buffer.concat([Buffer.from(SENTINEL), Buffer.from([1, 9]), Buffer.from('0'.repeat(9))])

export type Arch = 'x64' | 'arm64'

/** A double of an unpacked Electron for Linux: files of the right names, and a wire of fuses that can be blown. */
function standIn(folder: string): void {
  mkdirSync(path.join(folder, 'resources'), { recursive: true })
  mkdirSync(path.join(folder, 'locales'))
  const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  writeFileSync(path.join(folder, 'version'), devDependencies.electron ?? '')
  for (const name of [
    'LICENSE',
    'LICENSES.chromium.html',
    'chrome-sandbox',
    'chrome_crashpad_handler',
    'locales/en-US.pak',
  ])
    writeFileSync(path.join(folder, name), '')
  writeFileSync(path.join(folder, 'electron'), FUSES)
  chmodSync(path.join(folder, 'electron'), 0o755)
}

export function runBuilder(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [BUILDER, ...args, '--publish', 'never'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // No certificate is looked for unless one is named.
    env: { CSC_IDENTITY_AUTO_DISCOVERY: 'false', ...process.env },
  })
  let output = ''
  const collect = (chunk: Buffer): void => void (output += chunk.toString())
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

export type Packed = {
  readonly binary: string
  /** Paths inside the archive, `/` first. */
  readonly files: readonly string[]
  readonly unpacked: readonly string[]
  readonly bytes: (prefix: string) => number
  /** Puts all of it back into a folder that plain Node can run. */
  readonly extract: (to: string) => void
}

const inside = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

/** `folder` is created empty; the caller takes it away. */
export async function packIntoStandIn(arch: Arch, folder: string): Promise<Packed> {
  rmSync(folder, { recursive: true, force: true })
  const electron = path.join(folder, 'electron')
  const out = path.join(folder, 'out')
  const content = path.join(folder, 'content')
  standIn(electron)
  const { code, output } = await runBuilder([
    '--linux',
    'dir',
    `--${arch}`,
    `-c.electronDist=${electron}`,
    `-c.directories.output=${out}`,
  ])
  if (code !== 0) throw new Error(`electron-builder ended with ${code}:\n${output}`)
  const packed = path.join(out, arch === 'x64' ? 'linux-unpacked' : `linux-${arch}-unpacked`)
  const archive = path.join(packed, 'resources', 'app.asar')
  extractAll(archive, content)
  const files = listPackage(archive, { isPack: false }).map((file) => file.replaceAll('\\', '/'))
  const beside = `${archive}.unpacked`
  return {
    binary: path.join(packed, 'gantry'),
    files,
    unpacked: inside(beside).map((file) => file.slice(beside.length).replaceAll(path.sep, '/')),
    bytes: (prefix) =>
      inside(content)
        .filter((file) => file.slice(content.length).replaceAll(path.sep, '/').startsWith(prefix))
        .reduce((sum, file) => sum + statSync(file).size, 0),
    extract: (to) => extractAll(archive, to),
  }
}

/** The parts a package is made of, to show where its size comes from. */
export const PARTS = ['/dist/main/', '/dist/preload/', '/dist/renderer/', '/dist/gateway/', '/node_modules/'] as const
