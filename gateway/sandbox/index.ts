// What an entry's sandbox makes of its program: the program itself, one inside bubblewrap with a door to its hosts, or a container.

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { installedOf, type LocalServerEntry } from '../contract/local-servers.ts'
import type { Passage } from '../net/door.ts'
import type { Pin } from '../net/pin.ts'
import type { Clock } from '../telemetry/clock.ts'
import { type Container, containerOf } from './container.ts'
import { proveOs, wrapOs } from './os.ts'
import { openOsDoor } from './os-door.ts'
import { canonical, type Program, StartRefused } from './program.ts'

export type SandboxParts = {
  /** Folders of the servers, one each. */
  readonly folders: string
  readonly home: string
  /** What the gateway stores: no server may see it. */
  readonly hidden: readonly string[]
  readonly store: string
  readonly pin: (url: string) => Promise<Pin>
  readonly clock: Clock
  /** What has to be run once a server is over. */
  readonly run: (program: Program) => Promise<unknown>
}

export type Sandboxed = {
  readonly program: Program
  /** What people know it by: not the shell that makes a sandbox. */
  readonly file: string
  readonly ended: () => Promise<void>
}

type Given = {
  readonly name: string
  readonly entry: LocalServerEntry
  readonly program: Program
  /** By this its container is found, where it has one. */
  readonly container: string
  /** Of the gateway, with the PATH in which commands are looked for. */
  readonly host: Readonly<Record<string, string | undefined>>
  readonly find: (command: string) => Promise<string | undefined>
  readonly onPassage: (passage: Passage) => void
}

/** Also by a link, and in another case where the disk has none. */
const contains = (folder: string, inside: string): boolean => {
  const relative = path.relative(canonical(folder), canonical(inside))
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative))
}

type Kept = Pick<SandboxParts, 'home' | 'hidden'>

/** None is of the user, or has the database of the gateway below it: the sandbox would be one in name only. */
function declaredIn({ folders, cwd }: LocalServerEntry, { home, hidden }: Kept): readonly string[] {
  const declared = [...folders, ...(cwd === undefined ? [] : [cwd])]
  const wide = declared.find((folder) => [home, ...hidden].some((each) => contains(folder, each)))
  if (wide !== undefined)
    throw new StartRefused(`the folder ${wide} contains your home or the data of the gateway. Name a folder below`)
  return declared
}

function installedIn(store: string, entry: LocalServerEntry): readonly string[] {
  const installed = installedOf(entry)
  return installed === undefined ? [] : [path.join(store, installed.folder)]
}

type Dry = Pick<Given, 'entry' | 'program'> & Kept & Pick<SandboxParts, 'store'>

/** For a start before a person agrees: no network, an own folder that is deleted, and declared folders that it may only read. */
export async function inDrySandbox({ entry, program, store, ...kept }: Dry): Promise<Sandboxed> {
  const declared = declaredIn(entry, kept)
  const own = await mkdtemp(path.join(tmpdir(), 'gantry-dry-'))
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true })
  try {
    await mkdir(path.join(own, 'tmp'))
    const readable = [...declared, ...installedIn(store, entry)]
    const within = { ...program, cwd: entry.cwd ?? own }
    const wrapped = await wrapOs(within, { own, ...kept, writable: [], readable, door: undefined })
    return {
      program: wrapped.program,
      file: program.file,
      async ended() {
        wrapped.ended()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

type DryContainer = Pick<Given, 'entry' | 'program' | 'container' | 'host' | 'find'> & Kept

async function inContainer(given: DryContainer, isDry: boolean): Promise<Container> {
  declaredIn(given.entry, given)
  return containerOf({ ...given, name: given.container, isDry })
}

/** The same in a container. */
export const inDryContainer = (given: DryContainer): Promise<Container> => inContainer(given, true)

/** Begins the proof, so that the first start need not wait for it; what it finds is the reason of that start. */
export const expectOs = (kept: Kept): void => void proveOs(kept).catch(() => undefined)

export type Sandbox = ReturnType<typeof createSandbox>

export function createSandbox({ folders, home, hidden, store, pin, clock, run }: SandboxParts) {
  async function inOs({ name, entry, program, onPassage }: Given): Promise<Sandboxed> {
    const own = path.join(folders, name)
    const declared = declaredIn(entry, { home, hidden })
    await mkdir(path.join(own, 'tmp'), { recursive: true, mode: 0o700 })
    const system = await proveOs({ home, hidden })
    const door =
      entry.hosts.length === 0 ? undefined : await openOsDoor(system, { hosts: entry.hosts, pin, onPassage, clock })
    const ended = async (): Promise<void> => door?.close()
    try {
      const wrapped = await wrapOs(
        { ...program, cwd: entry.cwd ?? own },
        {
          own,
          home,
          hidden,
          writable: declared,
          readable: installedIn(store, entry),
          door: door?.address,
        },
        system,
      )
      return {
        program: wrapped.program,
        file: program.file,
        async ended() {
          wrapped.ended()
          await ended()
        },
      }
    } catch (error) {
      await ended()
      throw error
    }
  }

  async function contained(given: Given): Promise<Sandboxed> {
    const { program, remove } = await inContainer({ ...given, home, hidden }, false)
    return { program, file: program.file, ended: async () => void (await run(remove)) }
  }

  return async function sandboxed(given: Given): Promise<Sandboxed> {
    const { entry, program } = given
    switch (entry.sandbox) {
      case 'none':
      case 'group':
        return { program, file: program.file, ended: async () => undefined }
      case 'os':
        return inOs(given)
      case 'container':
        return contained(given)
    }
  }
}
