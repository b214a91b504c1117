// Starts one process of a server: what it needs is resolved, it is spawned, and the handshake makes it ready.

import type { LocalServerEntry } from '../../contract/local-servers.ts'
import { fileOf, namesAFolder } from '../../instance/program-file.ts'
import type { Hearing, ListKind, Self } from '../../mcp/connection.ts'
import type { JsonRecord } from '../../mcp/message.ts'
import type { Passage } from '../../net/door.ts'
import { ExchangeError } from '../../net/exchange.ts'
import type { Sandbox, Sandboxed } from '../../sandbox/index.ts'
import { type Program, StartRefused } from '../../sandbox/program.ts'
import type { Clock } from '../../telemetry/clock.ts'
import { variableOf } from '../../windows/variables.ts'
import { causeOf } from './causes.ts'
import { environmentOf, type HostEnvironment } from './environment.ts'
import type { LastOutput } from './last-output.ts'
import { createPeer, type Peer } from './peer.ts'
import { type Exit, type Patience, type ProgramProcess, startProcess } from './process.ts'
import type { Store } from './store.ts'
import type { Launch } from './supervised.ts'
import type { Trees } from './tree.ts'

/** What all processes of this gateway share. */
export type Machine = {
  readonly host: HostEnvironment
  /** The PATH in which commands are looked for. */
  readonly path: () => Promise<string>
  /** Installed packages. */
  readonly store: Store
  readonly sandbox: Sandbox
  readonly trees: Trees
  /** Of a start by its number. */
  readonly containerName: (number: number) => string
  readonly patience: Patience
  /** Of a process, in this gateway. */
  readonly nextNumber: () => number
  readonly maxLineBytes: number
  /** Gateways of this machine that run the same entries. */
  readonly sharers: number
  readonly self: Self
  readonly monotonic: () => number
  readonly clock: Clock
}

export type LaunchParts = {
  readonly machine: Machine
  readonly name: string
  readonly entry: LocalServerEntry
  readonly home: string
  readonly capabilities: JsonRecord
  readonly isPrivate: boolean
  readonly number: number
  readonly listeners: () => Iterable<Hearing>
  readonly onListChanged: (kind: ListKind) => void
  readonly output: LastOutput
  /** By variable. Names the first that is missing. */
  readonly secrets: () => Promise<{ readonly values: Readonly<Record<string, string>> } | { readonly missing: string }>
  readonly withheld: () => readonly string[]
  /** Each connection that a sandboxed program asks for. */
  readonly onPassage: (passage: Passage) => void
  readonly onPhase: (phase: 'resolving' | 'starting') => void
  readonly onStarted: (times: { readonly file: string; readonly pid: number }) => void
  readonly onReady: (handshakeMs: number, startMs: number) => void
  readonly onMemory: (bytes: number) => void
}

/** A package runner downloads before it starts. */
const HANDSHAKE_MS = 120_000
const MIB = 1_048_576

export function launch(parts: LaunchParts): Launch<Peer> {
  const { machine, entry, output } = parts
  const over = Promise.withResolvers<string>()
  /** There is a process, or there will be none. */
  const spawned = Promise.withResolvers<void>()
  let running: ProgramProcess | undefined
  let isStopped = false

  async function resolved() {
    parts.onPhase('resolving')
    const secrets = await parts.secrets()
    if ('missing' in secrets)
      throw new StartRefused(
        `the secret ${secrets.missing} is not set. Set it on the page of the backend, or with gantry servers secret`,
      )
    const cwd = entry.cwd ?? parts.home
    const searched = await machine.path()
    const endings = variableOf(machine.host, 'PATHEXT')
    const find = (command: string): Promise<string | undefined> => fileOf(command, searched, cwd, endings)
    const env = environmentOf(machine.host, searched, entry.env, secrets.values)
    const inside = (program: Program): Promise<Sandboxed> =>
      machine.sandbox({
        name: parts.name,
        entry,
        program,
        find,
        container: machine.containerName(parts.number),
        host: { ...machine.host, PATH: searched },
        onPassage: parts.onPassage,
      })
    if (entry.sandbox === 'container') return inside({ file: entry.command, args: entry.args, env, cwd })
    const packed = await machine.store.programOf(entry)
    if (typeof packed === 'string') throw new StartRefused(packed)
    const command = packed?.command ?? entry.command
    const file = await find(command)
    if (file === undefined)
      throw new StartRefused(
        namesAFolder(command)
          ? `${command} is not a program. Check the path in command`
          : `the command "${command}" was not found. Install it, or give its full path in command. Searched: ${searched}`,
      )
    return inside({ file, args: packed?.args ?? entry.args, env, cwd })
  }

  async function begin(): Promise<Peer> {
    const { program, file, ended: left } = await resolved()
    if (entry.sandbox === 'container') machine.trees.engine(file)
    if (isStopped) {
      await left()
      throw new StartRefused('it was stopped while it started')
    }
    parts.onPhase('starting')
    output.clear()
    const since = machine.monotonic()
    let spawnedAt = since
    let isReady = false
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => undefined)
    const peer = createPeer({
      ...machine,
      send: (text) => running?.send(text) ?? false,
      capabilities: parts.capabilities,
      isPrivate: parts.isPrivate,
      listeners: parts.listeners,
      onListChanged: parts.onListChanged,
      onText: (line) => output.add(line),
      secrets: parts.withheld,
    })
    let memoryBytes: number | undefined
    const reasonOf = (exit: Exit | undefined): string =>
      memoryBytes === undefined
        ? causeOf({
            ...entry,
            exit,
            afterMs: Math.round(machine.monotonic() - spawnedAt),
            output: output.lines(),
            isReady,
          })
        : `memory: it was ended because it held ${Math.ceil(memoryBytes / MIB)} MiB, and its limit is ${entry.memoryMb} MiB (memoryMb)`
    const { maxLineBytes, patience, trees } = machine
    const begun = async (): Promise<ProgramProcess> =>
      startProcess(
        program,
        {
          maxLineBytes,
          onMessage: peer.onMessage,
          onTooLong: (beginning) => peer.onTooLong(beginning, maxLineBytes),
          onText: (line) => output.add(line),
          onSpawned: () => {
            spawnedAt = machine.monotonic()
          },
        },
        { tree: trees.create(parts.number, entry.memoryMb * MIB), patience },
      )
    running = await begun().catch(async (error: unknown) => {
      await left()
      throw new StartRefused(`${file} could not be started: ${error instanceof Error ? error.message : String(error)}`)
    })
    spawned.resolve()
    const { pid, kill, watchMemory } = running
    parts.onStarted({ file, pid })
    const measured = (bytes: number, isOver: boolean): void => {
      parts.onMemory(bytes)
      if (!isOver || memoryBytes !== undefined) return
      memoryBytes = bytes
      kill()
    }
    // A container is no child of this process: its engine limits it.
    const unwatch = entry.sandbox === 'container' ? () => undefined : watchMemory(measured)
    void running.exited.then(async (exit) => {
      unwatch()
      const reason = reasonOf(exit)
      ended.reject(new Error(reason))
      await peer.end(new ExchangeError('network', reason))
      await left()
      over.resolve(reason)
    })
    const late = setTimeout(() => ended.reject(new Error(reasonOf(undefined))), HANDSHAKE_MS)
    try {
      const made = await Promise.race([greeted(peer), ended.promise])
      isReady = true
      parts.onReady(machine.monotonic() - spawnedAt, spawnedAt - since)
      return made
    } finally {
      clearTimeout(late)
    }
  }

  /** A process that ends in the middle of the handshake has a better reason than the lost answer. */
  async function greeted(peer: ReturnType<typeof createPeer>): Promise<Peer> {
    try {
      return await peer.greet()
    } catch (error) {
      if (error instanceof ExchangeError && error.kind === 'network') throw new Error(error.message, { cause: error })
      throw error
    }
  }

  const ready = begin()
  ready.catch((error: unknown) => {
    spawned.resolve()
    if (running === undefined) over.resolve(error instanceof Error ? error.message : String(error))
  })
  return {
    ready,
    exited: over.promise,
    async stop() {
      isStopped = true
      await spawned.promise
      if (running === undefined) return
      await running.stop()
      // Also what its sandbox leaves.
      await over.promise
    },
  }
}
