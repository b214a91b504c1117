// What is started, what a system makes of it, and the refusal of a start.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { fileOf } from '../instance/program-file.ts'
import type { DoorAddress } from '../net/door.ts'

/** An absolute path and arguments, which no shell reads. */
export type Program = {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export type OsSandbox = {
  /** Its working folder is writable, and its home. */
  readonly own: string
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Hidden, except for the folders above in them. */
  readonly hidden: readonly string[]
  readonly home: string
  /** Undefined without a network. */
  readonly door: DoorAddress | undefined
}

export type Wrapped = { readonly program: Program; readonly ended: () => void }

export type OsSystem = {
  readonly name: string
  /** The program that makes the sandbox: what is proved. */
  readonly file: string
  readonly shell: string
  /** Whether it has its own network, in which no port of this machine can be reached. */
  readonly hasOwnNetwork: boolean
  /** Of system calls. */
  readonly hasFilter: boolean
  readonly wrap: (program: Program, sandbox: OsSandbox) => Promise<Wrapped>
}

/** Searched with the PATH of this process alone: an entry may have another, with its own programs. */
export const programHere = (command: string): Promise<string | undefined> =>
  fileOf(command, process.env['PATH'] ?? '/usr/bin:/bin', '/')

/** A start that was refused: it costs nothing to try again, and is no crash. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}

export const REFUSED = 'it asks for the sandbox of the operating system, which is not available'

/** As the kernel names it: without links, in the case of the disk. Also of a file that does not exist yet. */
export function canonical(file: string): string {
  try {
    return realpathSync.native(file)
  } catch {
    const above = path.dirname(file)
    return above === file ? file : path.join(canonical(above), path.basename(file))
  }
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
