// Runs a file of this project with Node for Windows, in Wine: what calls functions of Windows is tested on Linux, too.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const WINE = ['/usr/lib/wine/wine64', '/usr/bin/wine64', '/usr/bin/wine'].find((file) => existsSync(file))
const {
  /** `node.exe`, a folder with `@koromix/koffi-win32-x64`, and an existing prefix, which is used as it is. */
  GANTRY_WINE_NODE: node = '',
  GANTRY_WINE_MODULES: modules = '',
  GANTRY_WINE_PREFIX: prefix = '',
} = process.env

const missing = [
  ...(WINE === undefined ? ['Wine'] : []),
  ...Object.entries({ GANTRY_WINE_NODE: node, GANTRY_WINE_MODULES: modules, GANTRY_WINE_PREFIX: prefix }).flatMap(
    ([name, value]) => (existsSync(value) ? [] : [name]),
  ),
]
const isThere = process.platform === 'linux' && missing.length === 0
/** For the title of a test that needs it. */
export const inWine = isThere ? '' : ` (skipped: no Wine with Node for Windows: ${missing.join(', ')} missing)`

/** As programs in Wine name a file of this machine. */
export const windowsPath = (file: string): string => `Z:${path.resolve(file).replaceAll('/', '\\')}`

const MINUTE_MS = 60_000

/** What it prints. Output goes to a file: a pipe of Linux is no handle that Node for Windows can write to. */
export async function runInWine(file: string, args: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gantry-wine-'))
  const out = path.join(folder, 'out')
  try {
    const env = { ...process.env, WINEPREFIX: prefix, WINEDEBUG: '-all', DISPLAY: '', NODE_PATH: windowsPath(modules) }
    const program = [node, windowsPath(file), ...args]
    const code = await new Promise<number | string>((resolve) => {
      const child = execFile('sh', ['-c', 'exec "$0" "$@" >"$OUT" 2>&1 </dev/null', WINE ?? '', ...program], {
        env: { ...env, OUT: out },
        timeout: 3 * MINUTE_MS,
      })
      child.once('error', (error) => resolve(String(error)))
      child.once('close', (ended) => resolve(ended ?? 'a signal'))
    })
    const text = await readFile(out, 'utf8')
    if (code !== 0) throw new Error(`${file} ended in Wine with ${code}: ${text}`)
    return text
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
