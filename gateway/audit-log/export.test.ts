import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AuditEntry, AuditVerdict } from '#contract'
import { aDatabase } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import { append, independentlyValid, tamper } from './audit.fixture.ts'
import { exportAudit } from './export.ts'
import type { AuditFilters } from './filter.ts'
import type { ExportFormat } from './report.ts'

const CLOCK = { now: () => Date.UTC(2026, 0, 31, 9, 15, 0, 7) }
const Document = z.strictObject({
  exportedAt: z.string(),
  filters: z.record(z.string(), z.string()),
  count: z.number(),
  verification: AuditVerdict,
  items: z.array(AuditEntry),
})

async function textOf(database: Database, format: ExportFormat, filters: AuditFilters = {}): Promise<string> {
  let text = ''
  for await (const piece of exportAudit(database, { format, filters, teamId: null }, CLOCK).body) text += piece
  return text
}

/** Parses RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  let at = 0
  while (at < text.length) {
    const match = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
    match.lastIndex = at
    const found = match.exec(text)
    if (!found) throw new Error(`Not CSV at ${at}: ${text.slice(at, at + 40)}`)
    rows.at(-1)?.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
    at = match.lastIndex
    if (found[3] === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

const HOSTILE = [
  '=1+1',
  '+1',
  '-1',
  '@x',
  '\tx',
  '\rx',
  'a,b',
  'a"b',
  'a\r\nb',
  '<script>alert(1)</script>',
  '"\'&><',
  'plain',
]

describe.each(['file', 'memory'])('an export of a log in %s', (place) => {
  const aLog = () => (place === 'file' ? aDatabase() : aDatabase(':memory:'))

  it('as JSON is ascending, complete and independently verifiable [ct.13.4.ascending ct.13.4.json]', async () => {
    const database = await aLog()
    await append(database, 600, { actor: '\u0000\u2028é\ud800' })
    const document = Document.parse(JSON.parse(await textOf(database, 'json')))
    expect(document).toMatchObject({ exportedAt: '2026-01-31T09:15:00.007Z', filters: {}, count: 600 })
    expect(document.verification).toMatchObject({ valid: true, checked: 600, headId: 600 })
    expect(independentlyValid(document.items)).toBe(600)
    expect(document.items.at(-1)?.hash).toBe(document.verification.headHash)
  })

  it('names its filters [ct.13.4.json ct.7.7.audit-export]', async () => {
    const database = await aLog()
    await append(database, 3)
    const document = Document.parse(
      JSON.parse(await textOf(database, 'json', { target: 'pets__t2', action: undefined })),
    )
    expect(document).toMatchObject({ count: 1, filters: { target: 'pets__t2' }, items: [{ id: 2 }] })
  })

  it('is well-formed in every format when empty', async () => {
    const database = await aLog()
    expect(Document.parse(JSON.parse(await textOf(database, 'json')))).toMatchObject({ count: 0, items: [] })
    expect(await textOf(database, 'csv')).toBe('id,prev_hash,actor,action,target,detail,created_at,hash\r\n')
    expect(await textOf(database, 'html')).toContain('intact')
  })

  it('as CSV survives every field and runs in no spreadsheet (security case CS-09) [ct.13.4.csv ct.13.4.csv-formula]', async () => {
    const database = await aLog()
    for (const actor of HOSTILE) await append(database, 1, { actor, detail: actor === 'plain' ? null : { actor } })
    const [header, ...rows] = readCsv(await textOf(database, 'csv'))
    expect(header?.join()).toBe('id,prev_hash,actor,action,target,detail,created_at,hash')
    expect(rows.map((row) => row[2])).toEqual(HOSTILE.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)))
    expect(rows.map((row) => row[5])).toEqual(
      HOSTILE.map((actor) => (actor === 'plain' ? '' : JSON.stringify({ actor }))),
    )
  })

  it('as HTML is one page without scripts or assets, every value escaped [ct.13.4.html]', async () => {
    const database = await aLog()
    for (const actor of HOSTILE) await append(database, 1, { actor, target: actor, detail: { actor } })
    const html = await textOf(database, 'html', { action: 'tool."><script>' })
    const full = html + (await textOf(database, 'html'))
    expect(full).not.toMatch(/<script|<link|<img|src=|href=|url\(|\son\w+=/i)
    expect(full).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(full).toContain("default-src 'none'")
    expect(full).toContain('intact: 12 entries checked')
  })
})

it('describes a broken log in HTML [ct.13.4.html-broken]', async () => {
  const database = await aDatabase()
  await append(database, 5)
  tamper(database, (raw) => raw.exec("update audit_log set actor = x'ff00', detail = '{' where id = 3"))
  expect(await textOf(database, 'html')).toContain('BROKEN at #3: hash_mismatch')
  const document = Document.parse(JSON.parse(await textOf(database, 'json')))
  expect(document).toMatchObject({ count: 5, verification: { valid: false, brokenAt: 3 } })
  expect(readCsv(await textOf(database, 'csv'))).toHaveLength(6)
})

it('is one snapshot while entries are added (security case AU-13)', async () => {
  const database = await aDatabase()
  await append(database, 700)
  let text = ''
  for await (const piece of exportAudit(database, { format: 'json', filters: {}, teamId: null }, CLOCK).body) {
    text += piece
    await append(database, 10)
  }
  const document = Document.parse(JSON.parse(text))
  expect([document.count, document.items.length, document.verification.headId]).toEqual([700, 700, 700])
})

it('ends its thread when the reader disconnects, and names its file [ct.13.4.filename]', async () => {
  const database = await aDatabase()
  await append(database, 700)
  const { body, filename, contentType } = exportAudit(database, { format: 'csv', filters: {}, teamId: null }, CLOCK)
  expect([filename, contentType]).toEqual(['gantry-audit-20260131T091500Z.csv', 'text/csv; charset=utf-8'])
  const threads = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length
  const before = threads()
  for await (const _piece of body) break
  expect(threads()).toBe(before)
})
