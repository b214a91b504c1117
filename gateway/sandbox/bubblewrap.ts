// The level `os` on Linux: bubblewrap and seccomp.
import { existsSync } from 'node:fs'
import { release } from 'node:os'
import path from 'node:path'
import { LOADS_CODE, quoted } from '../contract/local-servers.ts'
import { keyFilterFile } from './key-filter.ts'
import {
  installationOf,
  type OsSandbox,
  type OsSystem,
  type Program,
  programHere,
  REFUSED,
  StartRefused,
  type Wrapped,
} from './program.ts'
import { linuxRuntime } from './runtime.ts'
import { wordsOf } from './words.ts'

/** Of other users, sockets of services, and what is neither a program nor a library. */
const HIDDEN = ['/home', '/root', '/Users', '/media', '/mnt', '/srv', '/run', '/tmp', '/boot', '/etc/ssh']
const HIDDEN_VAR = ['lib', 'log', 'mail', 'spool', 'tmp', 'backups', 'www'].map((name) => `/var/${name}`)
const MOST_PROCESSES = 512
/** From here on the limit of processes counts those of the sandbox, not those of the user. */
const COUNTS_BY_NAMESPACE = [5, 14] as const
/** The package leaves what System V shares with every process of this user, as X11 and databases do. */
const OURS = ['--unshare-ipc', '--seccomp', '8']
const WITH_FILTER = 'exec 8< "$1" && shift && exec "$@"'
/** The shells around it and in it need no other. */
const OUTER_PATH = '/usr/bin:/bin'

function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number)
  const [most, least] = COUNTS_BY_NAMESPACE
  return major > most || (major === most && minor >= least)
}

/**
 * What an entry has of `PATH`, `LD_PRELOAD` and the like is set inside: outside it would load code of the entry into
 * what makes the sandbox. The others stay in the environment, where other users cannot read them.
 */
function divided(env: Program['env']) {
  const loads = Object.entries(env).filter(([name]) => LOADS_CODE.test(name))
  const rest = Object.entries(env).filter(([name]) => !LOADS_CODE.test(name))
  return {
    outer: { ...Object.fromEntries(rest), PATH: OUTER_PATH },
    inner: loads.map(([key, text]) => `${key}=${text}`),
  }
}

async function toolsHere(helper: string) {
  const [bwrapPath, socatPath, shell, applyPath] = await Promise.all([
    programHere('bwrap'),
    programHere('socat'),
    programHere('bash'),
    programHere(helper),
  ])
  if (bwrapPath !== undefined && socatPath !== undefined && shell !== undefined && applyPath !== undefined)
    return { bwrapPath, socatPath, shell, applyPath }
  const lacks = [
    ...(bwrapPath === undefined ? ['bubblewrap (bwrap)'] : []),
    ...(socatPath === undefined ? ['socat'] : []),
    ...(shell === undefined ? ['bash'] : []),
    ...(applyPath === undefined ? [`the seccomp filter for ${process.arch}`] : []),
  ]
  throw new StartRefused(`${REFUSED}: ${lacks.join(' and ')} must be installed. It is not started without it`)
}

export async function bubblewrap(): Promise<OsSystem> {
  const { helper, wrapCommandWithSandboxLinux, cleanupBwrapMountPoints } = await linuxRuntime()
  const { bwrapPath, socatPath, shell, applyPath } = await toolsHere(helper)

  async function wrap(program: Program, sandbox: OsSandbox): Promise<Wrapped> {
    const { own, home, door } = sandbox
    if (door !== undefined && !('path' in door)) throw new Error('the door of bubblewrap is a Unix socket')
    const { outer, inner } = divided(program.env)
    const words = ['/usr/bin/env', ...inner, `TMPDIR=${path.join(own, 'tmp')}`, program.file, ...program.args]
    const limits = countsByNamespace(release()) ? `ulimit -u ${MOST_PROCESSES}; ` : ''
    const deny = [...new Set([...HIDDEN, ...HIDDEN_VAR, home, ...sandbox.hidden])].filter((each) => existsSync(each))
    const seen = [
      path.dirname(applyPath),
      ...installationOf(program.file, home),
      ...(door === undefined ? [] : [path.dirname(door.path)]),
    ]
    const writable = [own, ...sandbox.writable]
    const command = await wrapCommandWithSandboxLinux({
      command: `ulimit -c 0; ${limits}cd ${quoted(program.cwd)} && exec ${words.map(quoted).join(' ')}`,
      needsNetworkRestriction: true,
      ...(door === undefined ? {} : { httpSocketPath: door.path, socksSocketPath: door.path }),
      readConfig: {
        denyOnly: [],
        literalDenyOnly: deny,
        literalAllowWithinDeny: [...new Set([...writable, ...sandbox.readable, ...seen])],
      },
      writeConfig: { allowOnly: [], literalAllowOnly: writable },
      allowGitConfig: true,
      // It would search the working folder of the gateway for settings of tools, which is read-only here.
      ripgrepConfig: { command: 'true' },
      seccompConfig: { applyPath },
      bwrapPath,
      socatPath,
      binShell: shell,
    })
    const made = wordsOf(command)
    const at = made.indexOf(bwrapPath) + 1
    if (at === 0) throw new StartRefused(`${REFUSED}: the command of bubblewrap has another form than expected`)
    return {
      program: {
        file: '/bin/sh',
        args: ['-c', WITH_FILTER, 'sandbox', keyFilterFile(), ...made.slice(0, at), ...OURS, ...made.slice(at)],
        cwd: '/',
        env: { ...outer, HOME: own, ...(door === undefined ? {} : { NODE_USE_ENV_PROXY: '1' }) },
      },
      ended: cleanupBwrapMountPoints,
    }
  }

  return { name: 'bubblewrap', file: bwrapPath, shell, hasOwnNetwork: true, hasFilter: true, wrap }
}
