// Kept results on the command line: which there are, a look into one, and its rows as a file.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { EXPORT_FORMATS } from '../../contract/admin/kept-results.ts'
import { byteCount } from '../../text/amounts.ts'
import { type Command, type Context, table, takes } from './command.ts'
import { UsageError } from './exit.ts'

const PLACE = {
  path: takes('path', 'keys and positions with dots, such as items.0.owner'),
  jsonpath: takes('text', 'JSONPath (RFC 9535) instead of --path'),
  sql: takes('select', 'one SELECT from the list there'),
} as const

function placeIn({ text }: Context) {
  const [at, jsonpath, sql] = [text('path'), text('jsonpath'), text('sql')]
  if (at !== undefined && jsonpath !== undefined) throw new UsageError('--jsonpath replaces --path')
  return {
    ...(at !== undefined && { path: at }),
    ...(jsonpath !== undefined && { jsonpath }),
    ...(sql !== undefined && { sql }),
  }
}

function whole(option: string, given: string | undefined): number | undefined {
  if (given !== undefined && !/^\d{1,9}$/.test(given)) throw new UsageError(`--${option} takes a whole number`)
  return given === undefined ? undefined : Number(given)
}

function formatOf(given: string | undefined, file: string): (typeof EXPORT_FORMATS)[number] {
  const wanted = given ?? path.extname(file).slice(1)
  const found = EXPORT_FORMATS.find((each) => each === wanted)
  if (found === undefined)
    throw new UsageError(`a file ends in one of .${EXPORT_FORMATS.join(', .')}, or --format names it`)
  return found
}

export const RESULTS: readonly Command[] = [
  {
    name: 'result list',
    summary: 'List kept results: whose they are, of which tool, how large, and until when',
    async run({ api, tell }) {
      const { items } = await api.keptResults.list()
      tell(items, table(items, ['principal', 'session', 'client', 'tool', 'bytes', 'expiresAt']))
    },
  },
  {
    name: 'result show',
    summary: 'Look into a kept result by the handle that its caller received',
    args: ['handle'],
    options: {
      ...PLACE,
      offset: takes('number', 'rows to leave out'),
      limit: takes('number', 'rows to show, at most 200; default 50'),
    },
    async run(context) {
      const { api, tell, arg, text } = context
      const [offset, limit] = [whole('offset', text('offset')), whole('limit', text('limit'))]
      const page = { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) }
      const opened = await api.keptResults.open({ body: { handle: arg(0), ...placeIn(context), ...page } })
      const found: unknown = JSON.parse(opened.text)
      tell(found, JSON.stringify(found, null, 2))
    },
  },
  {
    name: 'result export',
    summary: 'Write rows of a kept result to a file as CSV, NDJSON or Parquet',
    args: ['handle', 'file'],
    options: {
      ...PLACE,
      format: takes(EXPORT_FORMATS.join('|'), 'default: the ending of the file'),
    },
    async run(context) {
      const { api, tell, arg, text } = context
      const file = arg(1)
      const format = formatOf(text('format'), file)
      const { base64 } = await api.keptResults.export({ body: { handle: arg(0), ...placeIn(context), format } })
      const bytes = Buffer.from(base64, 'base64')
      writeFileSync(file, bytes, { mode: 0o600 })
      tell({ file, format, bytes: bytes.length }, `${file}: ${byteCount(bytes.length)}`)
    },
  },
]
