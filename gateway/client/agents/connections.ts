// Agents of this machine connected to the gateway and taken off it again: looked at, planned, applied, undone.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AGENT_ENTRIES, type AgentId } from '../../contract/agent-entry.ts'
import type {
  AgentChange,
  AgentConnection,
  AgentPlan,
  AgentStatus,
  AgentsAnswer,
  AgentTarget,
} from '../../contract/agent-records.ts'
import type { Client } from '../../contract/client.ts'
import type { API } from '../../contract/index.ts'
import { type AgentFile, backUp, readAgentFile, stampOf, versionOf, writeAgentFile } from './agent-file.ts'
import { AGENTS, type AgentRow, agentOf, fileOf, findProgram, isInstalled, type Machine } from './agents.ts'
import { diffOf } from './diff.ts'
import { type Entry, type Place, putEntry, readEntries, removeEntry } from './entry-file.ts'
import { extensionOf } from './extension.ts'
import { AgentFault } from './fault.ts'
import { createKeys, type KeyUse } from './keys.ts'
import { addressOf, type Bridge, entryFor, factsOf, movedTo, withKey } from './parsed-entry.ts'

type ResultOf<A extends AgentsAnswer['answer']> = Omit<Extract<AgentsAnswer, { answer: A }>, 'answer'>

type Options = {
  readonly machine: Machine
  readonly api: Pick<Client<typeof API>, 'mcpKeys' | 'clients' | 'bundles'>
  /** Where agents reach the gateway; null while it does not run. */
  readonly address: () => string | null
  /** Ours, for backups and the bridge. */
  readonly folder: string
  /** The text of the bridge program. */
  readonly bridge: () => string
}
export type Connections = ReturnType<typeof createConnections>

type Step = {
  readonly place: Place
  readonly before: AgentFile
  readonly after: string
  readonly entryBefore: Entry | null
  /** Made by the step, so undoing it revokes it. */
  readonly minted: number | null
  /** Revoked by the step, so undoing it makes another. */
  readonly lost: { readonly agent: AgentId; readonly target: AgentTarget } | null
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/i
const MOST_STEPS = 20
/** Stands for the key in a plan: it is made when the plan is applied. */
const KEY_TO_COME = 'key-to-come'

const invalidName = (): AgentFault =>
  new AgentFault('NAME_INVALID', 'The name must be of letters, digits, - and _, at most 63.')

export function createConnections({ machine, api, address, folder, bridge }: Options) {
  const keys = createKeys(api)
  const steps = new Map<string, Step>()
  const placeOf = (agent: AgentRow, name: string): Place => ({
    format: agent.format,
    container: AGENT_ENTRIES[agent.id].container,
    name,
  })
  const isBridged = (agent: AgentId): boolean => AGENT_ENTRIES[agent].entry === null
  const bridgeFile = path.join(folder, 'gantry-stdio.mjs')

  function bridgeOf(agent: AgentId): Bridge | undefined {
    if (!isBridged(agent)) return undefined
    const node = findProgram(machine, 'node')
    if (node === undefined)
      throw new AgentFault(
        'NODE_MISSING',
        `${AGENT_ENTRIES[agent].label} starts the bridge with Node.js, which is not found. Install Node.js, or use the extension file.`,
      )
    return { node, file: bridgeFile }
  }

  function origin(): string {
    const url = address()
    if (url === null) throw new AgentFault('GATEWAY_STOPPED', 'The gateway does not run. Start it, then try again.')
    return url
  }

  function entriesOf(agent: AgentRow): { file: AgentFile; entries: Entry } {
    const file = readAgentFile(fileOf(agent, machine))
    return { file, entries: readEntries(file.text, agent.format, AGENT_ENTRIES[agent.id].container) }
  }

  function stateOf(url: URL, key: KeyUse | undefined): AgentConnection['state'] {
    const now = address()
    // While the gateway does not run, its future address is unknown.
    const here = now === null || now === url.origin
    if (!key) return here ? 'no-key' : 'foreign'
    if (!key.active) return 'no-key'
    return here ? 'connected' : 'old-address'
  }

  async function connectionsIn(entries: Entry): Promise<readonly AgentConnection[]> {
    const found: AgentConnection[] = []
    for (const [name, entry] of Object.entries(entries)) {
      const facts = factsOf(entry)
      if (!facts) continue
      const key = facts.key === null ? undefined : await keys.find(facts.key)
      const state = stateOf(facts.url, key)
      // Endpoints of other programs may have paths like ours.
      if (state === 'foreign' && !name.startsWith('gantry')) continue
      found.push({
        name,
        url: facts.url.href,
        target: facts.target,
        state,
        lastUsedAt: key?.lastUsedAt ?? null,
        lastUsedClient: key?.lastUsedClient ?? null,
      })
    }
    return found
  }

  /** Looked at every few seconds while a page is open; some agents keep megabytes of history in the file. */
  const looked = new Map<AgentId, { readonly stamp: string; readonly entries: Entry }>()
  function lookAt(agent: AgentRow): Entry {
    const file = fileOf(agent, machine)
    const stamp = `${file} ${stampOf(file)}`
    const before = looked.get(agent.id)
    if (before?.stamp === stamp) return before.entries
    const { entries } = entriesOf(agent)
    looked.set(agent.id, { stamp, entries })
    return entries
  }

  async function statusOf(agent: AgentRow): Promise<AgentStatus> {
    const facts = {
      id: agent.id,
      label: agent.label,
      installed: isInstalled(agent, machine),
      file: fileOf(agent, machine),
      restart: agent.restart,
      bridged: isBridged(agent.id),
    }
    try {
      return { ...facts, problem: null, connections: await connectionsIn(lookAt(agent)) }
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error
      return { ...facts, problem: error.message, connections: [] }
    }
  }

  /** What the file will hold, with this key in a new entry. */
  function drafted(change: AgentChange, key: string) {
    const agent = agentOf(change.agent)
    const { file, entries } = entriesOf(agent)
    const place = placeOf(agent, change.name)
    const before = entries[change.name]
    if (change.do === 'connect') {
      if (!NAME.test(change.name)) throw invalidName()
      if (before !== undefined)
        throw new AgentFault(
          'NAME_TAKEN',
          `${agent.label} has an entry called ${change.name} already. Take another name.`,
        )
      const url = addressOf(origin(), change.target)
      const entry = entryFor(agent.id, url, key, bridgeOf(agent.id))
      return { agent, file, place, after: putEntry(file.text, place, entry), entry, facts: undefined, before: null }
    }
    const facts = factsOf(before)
    if (!facts || file.text === null)
      throw new AgentFault(
        'NO_SUCH_ENTRY',
        `${agent.label} has no entry called ${change.name} that leads to a gateway.`,
      )
    // `factsOf` found a record.
    const entry = before as Entry
    if (change.do === 'disconnect')
      return { agent, file, place, after: removeEntry(file.text, place), entry: null, facts, before: entry }
    const moved = movedTo(entry, addressOf(origin(), facts.target))
    return { agent, file, place, after: putEntry(file.text, place, moved), entry: moved, facts, before: entry }
  }

  function notesOf(file: AgentFile): string[] {
    const open = file.text !== null && machine.platform !== 'win32' && (file.mode & 0o044) !== 0
    return open ? ['Other users of this computer may read this file, and the key in it.'] : []
  }

  async function plan(change: AgentChange): Promise<AgentPlan> {
    if (change.do === 'connect') await keys.check(change.target)
    const { agent, file, after, entry } = drafted(change, KEY_TO_COME)
    const args = entry && Array.isArray(entry.args) ? entry.args : null
    return {
      file: file.path,
      diff: diffOf(file.text ?? '', after),
      creates: file.text === null,
      command: args && [entry?.command, ...args].join(' '),
      notes: notesOf(file),
      restart: agent.restart,
      version: versionOf(file.text),
    }
  }

  function remember(step: Step): string {
    const ticket = randomUUID()
    steps.set(ticket, step)
    for (const old of [...steps.keys()].slice(0, -MOST_STEPS)) steps.delete(old)
    return ticket
  }

  function insistOn(change: AgentChange, version: string): void {
    const { file } = entriesOf(agentOf(change.agent))
    if (versionOf(file.text) === version) return
    throw new AgentFault('FILE_CHANGED', `${file.path} was changed since you looked at it. Look at it again.`)
  }

  async function apply(change: AgentChange, version: string): Promise<ResultOf<'apply'>> {
    insistOn(change, version)
    const minted =
      change.do === 'connect' ? await keys.mint(agentOf(change.agent).label, change.name, change.target) : null
    try {
      const { agent, file, place, after, facts, before } = drafted(change, minted?.key ?? KEY_TO_COME)
      // What was minted for took time: the file is still the one that was looked at.
      insistOn(change, version)
      if (change.do === 'connect' && isBridged(agent.id)) writeBridge()
      const backup = backUp(file, path.join(folder, 'agent-backups'), agent.id)
      writeAgentFile(file, after)
      const lost = change.do === 'disconnect' && facts ? { agent: agent.id, target: facts.target } : null
      const undo = remember({ place, before: file, after, entryBefore: before, minted: minted?.id ?? null, lost })
      if (change.do === 'disconnect' && facts?.key) await keys.revoke(facts.key)
      return { undo, backup, restart: agent.restart }
    } catch (error) {
      // An unused key is harmless; why the change failed is what matters.
      if (minted) await keys.drop(minted.id).catch(() => undefined)
      throw error
    }
  }

  function writeBridge(): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(bridgeFile, bridge(), { mode: 0o600 })
  }

  /** The step back, over what stands there now: what others have written since stays. */
  async function undo(ticket: string): Promise<void> {
    const step = steps.get(ticket)
    if (!step) throw new AgentFault('NOTHING_TO_UNDO', 'This can no longer be undone.')
    const { place, before, after, entryBefore, minted, lost } = step
    const now = readAgentFile(before.path)
    const untouched = now.text === after
    const fresh = lost && (await keys.mint(agentOf(lost.agent).label, place.name, lost.target))
    try {
      const entry = entryBefore && fresh ? withKey(entryBefore, fresh.key) : entryBefore
      const base = untouched ? before.text : now.text
      if (entry) writeAgentFile(now, putEntry(base, place, entry))
      else if (untouched) writeAgentFile(now, before.text)
      else if (now.text !== null) writeAgentFile(now, removeEntry(now.text, place))
    } catch (error) {
      if (fresh) await keys.drop(fresh.id).catch(() => undefined)
      throw error
    }
    steps.delete(ticket)
    if (minted !== null) await keys.drop(minted)
  }

  /** One at a time: two changes of one file must not plan on the same text. */
  let turn: Promise<unknown> = Promise.resolve()
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work)
    turn = mine
    return mine
  }

  /** Its key is shown once, to be pasted into the agent. */
  async function extension(name: string, target: AgentTarget, version: string): Promise<ResultOf<'extension'>> {
    if (!NAME.test(name)) throw invalidName()
    await keys.check(target)
    const url = addressOf(origin(), target)
    const archive = extensionOf({ name, version, url, bridge: bridge() })
    const { key } = await keys.mint(AGENT_ENTRIES['claude-desktop'].label, name, target)
    return { filename: `${name}.mcpb`, base64: archive.toString('base64'), key }
  }

  return {
    extension,
    list: (): Promise<readonly AgentStatus[]> => Promise.all(AGENTS.map(statusOf)),
    plan,
    apply: (change: AgentChange, version: string) => inTurn(() => apply(change, version)),
    undo: (ticket: string) => inTurn(() => undo(ticket)),
  }
}
