// The level `os` on macOS: Seatbelt. The package makes the profile; the program is started with it without a shell.
import path from 'node:path'
import {
  canonical,
  installationOf,
  type OsSandbox,
  type OsSystem,
  type Program,
  programHere,
  REFUSED,
  StartRefused,
  type Wrapped,
} from './program.ts'
import { macosRuntime } from './runtime.ts'
import { wordsOf } from './words.ts'

export const SANDBOX_EXEC = '/usr/bin/sandbox-exec'
/** Each Mac has it. */
const SHELL = '/bin/bash'

/** Of other users, of this one outside its home, and what is neither a program nor a library. */
const HIDDEN = [
  '/Users',
  '/Volumes',
  '/Network',
  // A second name of the volume that homes are on.
  '/System/Volumes/Data',
  '/Library/Keychains',
  '/home',
  ...[
    'etc/ssh',
    'tmp',
    ...['backups', 'folders', 'log', 'mail', 'root', 'run', 'spool', 'tmp'].map((name) => `var/${name}`),
  ].map((name) => `/private/${name}`),
]

/**
 * Behind the rules of the package, since the last one counts. Its program connects to the door and listens nowhere, and
 * has no key chain: that service reads more than the files that are hidden. Scripts write to the names of their output.
 */
const OURS = [
  '(deny network-bind)',
  '(deny network-inbound)',
  '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc"))',
  '(allow file-write-data (literal "/dev/stdout") (literal "/dev/stderr"))',
]

/** Scheme and JSON spell these differently, so a rule would be on another name. */
function named(file: string): string {
  const found = canonical(file)
  if (/\p{Cc}/u.test(found))
    throw new StartRefused(`${REFUSED} for ${JSON.stringify(file)}: its name has a control character`)
  return found
}
const allNamed = (files: readonly string[]): readonly string[] => [...new Set(files.map(named))]

type Made = { readonly profile: string; readonly env: Readonly<Record<string, string>> }

/** Of `env NAME=value… sandbox-exec -p profile shell -c command`. Anything else is not what this was written for. */
function madeBy(command: string): Made {
  const words = wordsOf(command)
  const at = words.indexOf(SANDBOX_EXEC)
  const [option, profile = '', ...rest] = words.slice(at + 1)
  const assigned = words.slice(1, at)
  if (
    words[0] !== 'env' ||
    option !== '-p' ||
    !profile.startsWith('(version 1)\n(deny default ') ||
    rest.join(' ') !== `${SHELL} -c true` ||
    !assigned.every((word) => /^\w+=/.test(word))
  )
    throw new StartRefused(`${REFUSED}: the profile of Seatbelt has another form than expected`)
  return {
    profile,
    env: Object.fromEntries(
      assigned.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
    ),
  }
}

/** `file` is another program in tests. */
export async function seatbelt(file: string): Promise<OsSystem> {
  const { wrapCommandWithSandboxMacOS } = await macosRuntime()
  if ((await programHere(file)) === undefined) throw new StartRefused(`${REFUSED}: ${file} is missing`)

  async function wrap(program: Program, sandbox: OsSandbox): Promise<Wrapped> {
    const { door } = sandbox
    if (door !== undefined && !('port' in door)) throw new Error('the door of Seatbelt is a port')
    const [own, home] = [named(sandbox.own), named(sandbox.home)]
    const writable = allNamed([own, ...sandbox.writable])
    const { profile, env } = madeBy(
      wrapCommandWithSandboxMacOS({
        command: 'true',
        needsNetworkRestriction: true,
        ...(door && { httpProxyPort: door.port, socksProxyPort: door.port, proxyAuthToken: door.token }),
        readConfig: {
          denyOnly: [],
          literalDenyOnly: allNamed([...HIDDEN, home, ...sandbox.hidden]),
          literalAllowWithinDeny: allNamed([...writable, ...sandbox.readable, ...installationOf(program.file, home)]),
        },
        writeConfig: { allowOnly: [], literalAllowOnly: writable },
        allowGitConfig: true,
        binShell: SHELL,
      }),
    )
    // The name `localhost` would have to be resolved, and the door listens on this address.
    const proxies = Object.entries(env).map(([name, text]) => [name, text.replaceAll('@localhost:', '@127.0.0.1:')])
    return {
      program: {
        file,
        args: ['-p', [profile, ...OURS].join('\n'), program.file, ...program.args],
        cwd: program.cwd,
        env: {
          ...program.env,
          ...Object.fromEntries(proxies),
          HOME: own,
          TMPDIR: path.join(own, 'tmp'),
          ...(door && { NODE_USE_ENV_PROXY: '1' }),
        },
      },
      ended: () => undefined,
    }
  }

  return { name: 'Seatbelt', file, shell: SHELL, hasOwnNetwork: false, hasFilter: false, wrap }
}
