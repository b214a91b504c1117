// What a local server gets to see of this machine: a fixed list of variables, those of its entry, and its secrets.
import { spawn } from 'node:child_process'
import path from 'node:path'
import type { SearchPath } from '../../contract/admin/local-servers.ts'
import { joinedPaths, registryPaths } from '../../windows/registry-path.ts'
import { mergedVariables, PASSED_ON_BY_WINDOWS, variableOf } from '../../windows/variables.ts'

export type HostEnvironment = Readonly<Record<string, string | undefined>>

const PASSED_ON = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'] as const
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin'
const SHELL_MS = 5_000
const MOST_ANSWER = 65_536
const MARK = '__GANTRY_PATH__'

export function environmentOf(
  host: HostEnvironment,
  pathText: string,
  own: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
  isWindows = process.platform === 'win32',
): Readonly<Record<string, string>> {
  const valueOf = (name: string): string | undefined => (isWindows ? variableOf(host, name) : host[name])
  const passed = (isWindows ? PASSED_ON_BY_WINDOWS : PASSED_ON).flatMap((name) => {
    const value = valueOf(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const all = [{ PATH: pathText }, Object.fromEntries(passed), own, secrets]
  return isWindows ? mergedVariables(...all) : Object.assign({}, ...all)
}

/** The PATH of this person's login shell: a program started from a dock has a shorter one. Undefined without an answer. */
function loginPath(host: HostEnvironment): Promise<string | undefined> {
  const { SHELL: shell = '' } = host
  if (!path.isAbsolute(shell)) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const child = spawn(shell, ['-l', '-c', `printf '${MARK}%s${MARK}' "$PATH"`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: environmentOf(host, host['PATH'] ?? SYSTEM_PATH, {}, {}),
      shell: false,
    })
    let text = ''
    const end = (): void => {
      clearTimeout(timer)
      if (child.pid !== undefined && child.exitCode === null)
        try {
          process.kill(-child.pid, 'SIGKILL')
        } catch {
          // It ended in the meantime.
        }
      const [, found] = text.split(MARK)
      resolve(found === undefined || found === '' ? undefined : found)
    }
    const timer = setTimeout(end, SHELL_MS)
    child.once('error', end)
    child.once('close', end)
    child.stdout.on('data', (chunk: Buffer) => {
      if (text.length < MOST_ANSWER) text += chunk.toString()
    })
  })
}

/** `isLogin`, on a desktop: of the login shell, asked once; on Windows of the registry, which changes while the gateway runs. Else the PATH that the gateway was started with. */
export function createPathOf(
  host: HostEnvironment,
  isLogin: boolean,
  isWindows = process.platform === 'win32',
  ofRegistry = registryPaths,
): () => Promise<SearchPath> {
  const text = isWindows ? (variableOf(host, 'PATH') ?? '') : (host['PATH'] ?? SYSTEM_PATH)
  const own: SearchPath = { text, from: 'environment' }
  if (!isLogin) return async () => own
  if (isWindows) return async () => ({ text: joinedPaths([...ofRegistry(), text]), from: 'registry' })
  let found: Promise<SearchPath> | undefined
  const asked = async (): Promise<SearchPath> => {
    const login = await loginPath(host)
    return login === undefined ? own : { text: login, from: 'login_shell' }
  }
  return () => (found ??= asked())
}
