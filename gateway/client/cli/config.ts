// The configuration as a folder for git, and back: export, validate, diff, apply, snapshots.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, stringify } from 'yaml'
import type { ClientDetail } from '../../contract/admin/clients.ts'
import type { ImportResult } from '../../contract/admin/config-documents.ts'
import { type ConfigDoc, configSchema } from '../../contract/config-document.ts'
import { type ParsedConfig, parseConfig } from '../../contract/config-parse.ts'
import { type HandoffItem, handoff } from '../../contract/handoff.ts'
import { type Command, type Context, table, takes } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'

const FILE = 'gantry.yaml'
const yaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })

/** A file, or the folder it lies in; `-` for standard input. */
function readDocument(given: string | undefined): ParsedConfig {
  const place = given ?? '.'
  const file = place !== '-' && existsSync(place) && statSync(place).isDirectory() ? path.join(place, FILE) : place
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  return parseConfig(parse(text, { maxAliasCount: 0 }))
}

/** What carries one of the tags; a document of backends alone. */
function selected({ doc, skipped }: ParsedConfig, tags: string | undefined): ParsedConfig {
  if (tags === undefined) return { doc, skipped }
  const wanted = new Set(tags.split(','))
  const clients = (doc.clients ?? []).filter((client) => client.tags?.some((tag) => wanted.has(tag)))
  return { doc: { kind: doc.kind, version: doc.version, clients }, skipped }
}

function send({ api, flag }: Context, doc: ConfigDoc, dryRun: boolean): Promise<ImportResult> {
  const mode = flag('prune') ? 'replace' : 'merge'
  // A document is JSON; its type says more than that.
  const data = doc as unknown as Record<string, never>
  return api.configDocuments.import({
    body: { data, dryRun, mode, registerClients: true, confirm: flag('confirm') },
  })
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const

function spoken({ changes, skipped, needsSecret, warnings = [], weakened, dryRun }: ImportResult): string {
  const short = (value: unknown): string => {
    const text = JSON.stringify(value)
    return text.length > 100 ? `${text.slice(0, 99)}…` : text
  }
  const lines = changes.map(({ path: place, kind, before, after }) => {
    if (kind === 'changed') return `~ ${place}: ${short(before)} → ${short(after)}`
    return `${SIGNS[kind]} ${place}`
  })
  return [
    ...(lines.length === 0 ? [dryRun ? 'nothing would change' : 'nothing changed'] : lines),
    ...skipped.map(({ type, id, reason }) => `! ${type} ${id}: ${reason}`),
    ...needsSecret.map((ref) => `? ${ref} needs its secret`),
    ...warnings.map((warning) => `! ${warning}`),
    ...weakened.map(({ path: place, reason }) => `! weaker: ${place}: ${reason}`),
  ].join('\n')
}

const incomplete = ({ skipped, needsSecret }: ImportResult): boolean => skipped.length > 0 || needsSecret.length > 0

async function exportFolder(context: Context, folder: string): Promise<void> {
  const { api, version, tell } = context
  const { doc } = parseConfig(JSON.parse(await api.configDocuments.export({ query: { format: 'json' } })))
  const auth = new Map<string, ClientDetail['upstreamAuth']>()
  for (const { name, upstreamAuth } of doc.clients ?? [])
    if (upstreamAuth) auth.set(name, await api.clients.getUpstreamAuth({ params: { name } }))
  const { items: editors } = await api.clients.list({ query: { kind: 'pcg', limit: '200' } })
  const left = new Set((context.text('leave') ?? '').split(',').filter(Boolean))
  const facts = { auth, editors: editors.map(({ name }) => name) }
  const { items, files } = handoff(doc, facts, {
    left,
    sameMachine: context.flag('same-machine'),
    version,
    stringify: yaml,
  })
  mkdirSync(folder, { recursive: true })
  for (const file of files) writeFileSync(path.join(folder, file.path), file.text)
  tell({ folder, files: files.map((file) => file.path), items }, `${verdicts(items)}\nwritten to ${folder}`)
}

function verdicts(items: readonly HandoffItem[]): string {
  const rows = items.map(({ section, name, verdict, why }) => ({
    what: `${section}/${name}`,
    verdict: verdict.replace('_', ' '),
    why: why.join('; ') || '-',
  }))
  return table(rows, ['verdict', 'what', 'why'])
}

const PLACE = ['[folder|file]']
const NARROW = {
  prune: { type: 'boolean', summary: 'also remove records that the document does not name, except backends' },
  select: takes('tag,tag', 'only backends with one of these tags'),
} as const

const CONFIRM = { confirm: { type: 'boolean', summary: 'apply weaker settings as well' } } as const

export const CONFIG: readonly Command[] = [
  {
    name: 'config export',
    summary: 'Write the configuration: a folder for git, or one document',
    options: {
      dir: takes('folder', 'gantry.yaml, its schema, .env.example, compose.yaml, README'),
      leave: takes('clients/a,bundles/b', 'leave these out of the folder'),
      'same-machine': { type: 'boolean', summary: 'the server runs on this machine: include backends on loopback' },
      format: takes('yaml|json', 'format of the document; default yaml'),
    },
    async run(context) {
      const folder = context.text('dir')
      if (folder !== undefined) return exportFolder(context, folder)
      const format = context.text('format') ?? 'yaml'
      if (format !== 'yaml' && format !== 'json') throw new UsageError('--format is yaml or json')
      const text = await context.api.configDocuments.export({
        query: { format: context.flag('json') ? 'json' : format },
      })
      context.tell(context.flag('json') ? JSON.parse(text) : text, text.trimEnd())
    },
  },
  {
    name: 'config validate',
    summary: 'Check a document without a gateway',
    args: PLACE,
    run({ maybe, tell }): ExitCode {
      const { doc, skipped } = readDocument(maybe(0))
      const counted = Object.fromEntries(
        Object.entries(doc).flatMap(([key, value]) => (Array.isArray(value) ? [[key, value.length]] : [])),
      )
      const answer = skipped.map(({ type, id, reason }) => `! ${type} ${id}: ${reason}`)
      tell(
        { valid: skipped.length === 0, sections: counted, skipped },
        ['the document can be used', ...answer].join('\n'),
      )
      return skipped.length === 0 ? EXIT.ok : EXIT.failed
    },
  },
  {
    name: 'config diff',
    summary: 'Show what a document would change; exit code 2 when something would',
    args: PLACE,
    options: NARROW,
    async run(context) {
      const { doc, skipped } = selected(readDocument(context.maybe(0)), context.text('select'))
      const answer = await send(context, doc, true)
      const result = { ...answer, skipped: [...skipped, ...answer.skipped] }
      context.tell(result, spoken(result))
      return result.changes.length > 0 || incomplete(result) ? EXIT.drift : EXIT.ok
    },
  },
  {
    name: 'config apply',
    summary: 'Apply a document, as a whole or not at all',
    args: PLACE,
    options: { ...NARROW, ...CONFIRM, 'dry-run': { type: 'boolean', summary: 'only report what would change' } },
    async run(context) {
      const { doc, skipped } = selected(readDocument(context.maybe(0)), context.text('select'))
      const answer = await send(context, doc, context.flag('dry-run'))
      const result = { ...answer, skipped: [...skipped, ...answer.skipped] }
      context.tell(result, spoken(result))
      return incomplete(result) ? EXIT.failed : EXIT.ok
    },
  },
  {
    name: 'config schema',
    summary: 'Print the JSON Schema of documents',
    run: ({ tell }) => tell(configSchema(), JSON.stringify(configSchema(), null, 2)),
  },
  {
    name: 'config snapshots',
    summary: 'List snapshots, newest first',
    async run({ api, tell }) {
      const { items } = await api.configDocuments.snapshots({ query: { limit: '200' } })
      tell(items, table(items, ['id', 'kind', 'label', 'createdAt', 'createdBy']))
    },
  },
  {
    name: 'config snapshot',
    summary: 'Store the present configuration',
    args: ['label'],
    async run({ api, tell, arg }) {
      const made = await api.configDocuments.takeSnapshot({ body: { label: arg(0) } })
      tell(made, `snapshot ${made.id} is kept`)
    },
  },
  {
    name: 'config rollback',
    summary: 'Restore a snapshot; the present configuration is stored first',
    args: ['id'],
    options: { ...CONFIRM, 'dry-run': { type: 'boolean', summary: 'only report what would change' } },
    async run({ api, tell, arg, flag }) {
      const answer = await api.configDocuments.rollback({
        params: { id: arg(0) },
        body: { dryRun: flag('dry-run'), confirm: flag('confirm') },
      })
      tell(answer, spoken(answer))
      return incomplete(answer) ? EXIT.failed : EXIT.ok
    },
  },
]
