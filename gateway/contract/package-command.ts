// Which package a command of a package runner runs: `npx -y name@1.2 …`, `uvx name …`. Pure; nothing is run.

export type PackageCommand = {
  readonly from: 'npm' | 'pypi'
  /** As typed: a name, with a version or range. */
  readonly spec: string
  /** The program of the package, where the command names one. */
  readonly program: string | null
  readonly args: readonly string[]
}

type Command = { readonly command: string; readonly args: readonly string[] }

const SILENT = new Set(['-y', '--yes', '-q', '--quiet', '--prefer-online', '--prefer-offline'])
/** A name of a registry with a version: no path, URL, repository or alias, which have no integrity of a registry. */
const NPM_SPEC = /^(?:@[a-z0-9~_][\w.~-]*\/)?[a-z0-9~_][\w.~-]*(?:@[\w.^~<>=*+-]+)?$/i
const PYPI_SPEC = /^[a-z0-9](?:[\w.-]*[a-z0-9])?(?:\[[\w,.-]+\])?(?:(?:==|@)[\w.+!-]+)?$/i
const PROGRAM = /^[\w.@-][\w.@/+-]*$/

const RUNNERS = {
  npx: { from: 'npm', naming: ['-p', '--package'], spec: NPM_SPEC },
  uvx: { from: 'pypi', naming: ['--from'], spec: PYPI_SPEC },
} as const

/** The name of a program without its folder, and without what Windows adds to it. */
export const programName = (command: string): string =>
  (command.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:cmd|exe|bat|com)$/i, '').toLowerCase()

const runnerOf = (command: string): keyof typeof RUNNERS | undefined => {
  const name = programName(command)
  return name === 'npx' || name === 'uvx' ? name : undefined
}

/** Of the words that cmd.exe would not leave as they are. */
const SHELL_WORD = /[&|<>^%"!()\r\n]/

/** `cmd /c npx …`, as clients on Windows are set up, is `npx …`: the shell adds nothing, and reads its arguments again. */
export function withoutShell({ command, args }: Command): Command {
  const [flag = '', inner = '', ...rest] = args
  const isShell = programName(command) === 'cmd' && flag.toLowerCase() === '/c'
  if (!isShell || runnerOf(inner) === undefined || rest.some((word) => SHELL_WORD.test(word))) return { command, args }
  return { command: inner, args: rest }
}

/** Programs that download another at each start. */
const DOWNLOADING = new Set(['npx', 'uvx', 'bunx', 'pipx', 'pnpx'])
export const isRunner = (given: Command): boolean => DOWNLOADING.has(programName(withoutShell(given).command))

/** Undefined for another program; a sentence where the arguments cannot be pinned. */
export function packageIn(given: Command): PackageCommand | string | undefined {
  const { command, args } = withoutShell(given)
  const runner = runnerOf(command)
  if (runner === undefined) return undefined
  const { from, naming, spec: pattern } = RUNNERS[runner]
  let named: string | undefined
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? ''
    const flag = naming.find((each) => word === each || word.startsWith(`${each}=`))
    if (SILENT.has(word)) continue
    if (flag !== undefined) {
      if (named !== undefined) return 'it names more than one package'
      named = word === flag ? args[(at += 1)] : word.slice(flag.length + 1)
      continue
    }
    const first = word === '--' ? args[(at += 1)] : word
    if (first === undefined) break
    if (word !== '--' && word.startsWith('-')) return `${runner} ${word} is not understood: leave it out`
    const spec = named ?? first
    if (!pattern.test(spec)) return `"${spec}" is not a package of a registry: use its name, with a version`
    if (named !== undefined && !PROGRAM.test(first)) return `"${first}" is not the name of a program`
    return { from, spec, program: named === undefined ? null : first, args: args.slice(at + 1) }
  }
  return 'it names no package'
}

/** `@scope/name@1.2.3` → `@scope/name`; `name[extra]==1` → `name`. */
export const packageName = (spec: string): string => /^@?[^@=[]+/.exec(spec)?.[0] ?? spec
