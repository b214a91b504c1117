// The file that a command names, as a shell finds it.
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

function posixFiles(command: string, pathText: string, cwd: string): readonly string[] {
  if (command.includes('/')) return [path.posix.resolve(cwd, command)]
  const folders = pathText.split(':').filter((folder) => path.posix.isAbsolute(folder))
  return folders.map((folder) => path.posix.join(folder, command))
}

/** Of PATHEXT, those that a process can be started from; the others belong to programs of their own. */
const STARTABLE = ['.COM', '.EXE', '.BAT', '.CMD']

/** The working folder is not searched, as cmd.exe would. */
export function windowsFiles(command: string, pathText: string, cwd: string, pathExt: string): readonly string[] {
  const listed = pathExt
    .toUpperCase()
    .split(';')
    .filter((end) => STARTABLE.includes(end))
  const ends = listed.length === 0 ? STARTABLE : listed
  const named = STARTABLE.includes(path.win32.extname(command).toUpperCase()) ? [''] : ends
  const folders = pathText.split(';').map((folder) => folder.replaceAll('"', ''))
  const bases = /[\\/:]/.test(command)
    ? [path.win32.resolve(cwd, command)]
    : folders.filter((folder) => path.win32.isAbsolute(folder)).map((folder) => path.win32.join(folder, command))
  return bases.flatMap((base) => named.map((end) => base + end.toLowerCase()))
}

export const namesAFolder = (command: string): boolean =>
  command.includes('/') || (process.platform === 'win32' && command.includes('\\'))

/** `pathExt`: the endings of programs, on Windows. */
export async function fileOf(
  command: string,
  pathText: string,
  cwd: string,
  pathExt = '',
): Promise<string | undefined> {
  const isWindows = process.platform === 'win32'
  const files = isWindows ? windowsFiles(command, pathText, cwd, pathExt) : posixFiles(command, pathText, cwd)
  for (const file of files) if (await isProgram(file)) return file
  return undefined
}
