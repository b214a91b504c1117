// The adapter of @anthropic-ai/sandbox-runtime: the level `os` on Linux, bubblewrap and seccomp. The one file that imports it.
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { release } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { quoted } from '../contract/local-servers.ts'
import { type Program, StartRefused } from './program.ts'

export type OsSandbox = {
  /** Its working folder is writable, and its home. */
  readonly own: string
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Hidden, except for the folders above in them. */
  readonly hidden: readonly string[]
  readonly home: string
  /** The Unix socket of its door; undefined without a network. */
  readonly door: string | undefined
}

export type Wrapped = { readonly program: Program; readonly ended: () => void }

/** Of other users, sockets of services, and what is neither a program nor a library. */
const HIDDEN = ['/home', '/root', '/Users', '/media', '/mnt', '/srv', '/run', '/tmp', '/boot', '/etc/ssh']
const HIDDEN_VAR = ['lib', 'log', 'mail', 'spool', 'tmp', 'backups', 'www'].map((name) => `/var/${name}`)
const MOST_PROCESSES = 512
/** From here on the limit of processes counts those of the sandbox, not those of the user. */
const COUNTS_BY_NAMESPACE = [5, 14] as const

const PACKAGE = '@anthropic-ai/sandbox-runtime'
const HELPER_FOLDERS: Readonly<Record<string, string>> = { x64: 'x64', arm64: 'arm64' }

/** The helper that applies the seccomp filter: beside the build, outside its archive, or in the package. */
function helperFile(): string {
  const folder = HELPER_FOLDERS[process.arch]
  if (folder === undefined) return ''
  const built = fileURLToPath(new URL(`../seccomp/${folder}/apply-seccomp`, import.meta.url))
  if (existsSync(built)) return built.replace(/app\.asar(?=[/\\])/, 'app.asar.unpacked')
  const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)
  return path.join(path.dirname(manifest), 'vendor', 'seccomp', folder, 'apply-seccomp')
}

async function runtime() {
  try {
    return {
      helper: helperFile(),
      ...(await import('@anthropic-ai/sandbox-runtime/dist/sandbox/linux-sandbox-utils.js')),
    }
  } catch (error) {
    throw new StartRefused(`${REFUSED}: the package ${PACKAGE} is not installed`, { cause: error })
  }
}

const REFUSED = 'it asks for the sandbox of the operating system, which is not available'

/** Resolves with what is missing; empty where the sandbox can be tried. */
function missing({ hasBwrap, hasSocat, hasSeccompApply }: Record<string, boolean>): readonly string[] {
  return [
    ...(hasBwrap ? [] : ['bubblewrap (bwrap)']),
    ...(hasSocat ? [] : ['socat']),
    ...(hasSeccompApply ? [] : [`the seccomp filter for ${process.arch}`]),
  ]
}

/** The folder that a program is installed in: `…/bin/node` needs `…/lib`, but never a home. */
export function installationOf(file: string, home: string): readonly string[] {
  const folders = [file, realpathSync(file)].map((each) => {
    const folder = path.dirname(each)
    const above = path.dirname(folder)
    return path.basename(folder) === 'bin' && above !== home && above.split('/').length > 2 ? above : folder
  })
  return [...new Set(folders)].filter((folder) => folder !== home)
}

function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number)
  const [most, least] = COUNTS_BY_NAMESPACE
  return major > most || (major === most && minor >= least)
}

/** Throws a `StartRefused` that names what is missing: nothing is started with less. */
export async function wrapOs(program: Program, sandbox: OsSandbox, platform = process.platform): Promise<Wrapped> {
  if (platform !== 'linux') throw new StartRefused(`${REFUSED} on this system: it is built for Linux`)
  const { helper, getLinuxDependencyStatus, wrapCommandWithSandboxLinux, cleanupBwrapMountPoints } = await runtime()
  const seccompConfig = { applyPath: helper }
  const lacks = missing(getLinuxDependencyStatus({ seccompConfig }))
  if (lacks.length > 0)
    throw new StartRefused(`${REFUSED}: ${lacks.join(' and ')} must be installed. It is not started without it`)
  const { own, home, door } = sandbox
  const temporary = path.join(own, 'tmp')
  const words = ['env', `TMPDIR=${temporary}`, program.file, ...program.args]
  const limits = countsByNamespace(release()) ? `ulimit -u ${MOST_PROCESSES}; ` : ''
  const deny = [...new Set([...HIDDEN, ...HIDDEN_VAR, home, ...sandbox.hidden])].filter((folder) => existsSync(folder))
  const seen = [
    path.dirname(helper),
    ...installationOf(program.file, home),
    ...(door === undefined ? [] : [path.dirname(door)]),
  ]
  const writable = [own, ...sandbox.writable]
  const command = await wrapCommandWithSandboxLinux({
    command: `ulimit -c 0; ${limits}cd ${quoted(program.cwd)} && exec ${words.map(quoted).join(' ')}`,
    needsNetworkRestriction: true,
    ...(door === undefined ? {} : { httpSocketPath: door, socksSocketPath: door }),
    readConfig: { denyOnly: deny, allowWithinDeny: [...new Set([...writable, ...sandbox.readable, ...seen])] },
    writeConfig: { allowOnly: writable, denyWithinAllow: [] },
    allowGitConfig: true,
    // It would search the working folder of the gateway for settings of tools, which is read-only here.
    ripgrepConfig: { command: 'true' },
    seccompConfig,
  })
  return {
    program: {
      file: '/bin/sh',
      args: ['-c', `exec ${command}`],
      cwd: '/',
      env: { ...program.env, HOME: own, ...(door === undefined ? {} : { NODE_USE_ENV_PROXY: '1' }) },
    },
    ended: cleanupBwrapMountPoints,
  }
}
