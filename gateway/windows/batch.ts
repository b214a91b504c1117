// A batch file as something that can be started: by cmd.exe, which reads its command line again, so that not every argument can be passed.
import { existsSync } from 'node:fs'
import path from 'node:path'

type Command = { readonly file: string; readonly args: readonly string[] }
/** `verbatim`: the arguments are a command line already. */
export type Started = Command & { readonly verbatim: boolean }

const IS_BATCH = /\.(?:cmd|bat)$/i
/** Cmd.exe replaces %NAME% also between quotes, has no way to escape a quote that every program reads alike, and ends at a line break. */
const UNSAFE = /["%\r\n\0]/
const MOST_CHARACTERS = 8_191
/** Started by node beside them, with these files. */
const NPM_SCRIPTS: Readonly<Record<string, string>> = { 'npm.cmd': 'npm-cli.js', 'npx.cmd': 'npx-cli.js' }

/** Between quotes, & | < > ( ) ^ and spaces are text; backslashes before the last quote would escape it for the program. */
function quoted(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  if (UNSAFE.test(text))
    throw new Error(
      `the argument ${JSON.stringify(shown)} contains a quote, a percent sign or a line break, which cannot be passed to a batch file safely. Name the program that the batch file starts in command`,
    )
  let end = text.length
  while (text[end - 1] === '\\') end -= 1
  return `"${text}${text.slice(end)}"`
}

/** Windows finds a file by its name without spaces and periods at its end: with them, a batch file would pass as a program. */
function withoutHiddenEnd(file: string): string {
  let end = file.length
  while (file[end - 1] === ' ' || file[end - 1] === '.') end -= 1
  return file.slice(0, end)
}

/** The arguments of cmd.exe. Throws for what cannot be passed. */
export function batchLine(file: string, args: readonly string[]): string {
  // Both outer quotes are removed by /s; /d runs nothing of the registry, /v:off leaves ! alone.
  const line = `/d /e:on /v:off /s /c "${[file, ...args].map(quoted).join(' ')}"`
  if (line.length > MOST_CHARACTERS)
    throw new Error(`its arguments are longer than the ${MOST_CHARACTERS} characters that cmd.exe takes`)
  return line
}

/** npx and npm are batch files beside a node, which is started without them. */
function npmOf({ file, args }: Command, exists: (file: string) => boolean): Command | undefined {
  const script = NPM_SCRIPTS[path.win32.basename(file).toLowerCase()]
  if (script === undefined) return undefined
  const folder = path.win32.dirname(file)
  const node = path.win32.join(folder, 'node.exe')
  const cli = path.win32.join(folder, 'node_modules', 'npm', 'bin', script)
  return exists(node) && exists(cli) ? { file: node, args: [cli, ...args] } : undefined
}

/** What `spawn` is given on Windows. `systemRoot`: the folder of Windows. */
export function startable(
  command: Command,
  systemRoot: string,
  exists: (file: string) => boolean = existsSync,
): Started {
  const file = withoutHiddenEnd(command.file)
  if (!IS_BATCH.test(file)) return { ...command, verbatim: false }
  const npm = npmOf({ ...command, file }, exists)
  if (npm !== undefined) return { ...npm, verbatim: false }
  return {
    file: path.win32.join(systemRoot, 'System32', 'cmd.exe'),
    args: [batchLine(file, command.args)],
    verbatim: true,
  }
}
