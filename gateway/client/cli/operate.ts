// Looking after a gateway from the command line: follow it, check it, copy it.
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../contract/client.ts'
import { createSseReader } from '../../mcp/sse-reader.ts'
import { type Command, type Context, takes } from './command.ts'
import { DOCTOR } from './doctor.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'
import { PREFLIGHT } from './preflight.ts'
import { open } from './transport.ts'

const EVENT_MAX_BYTES = 1024 * 1024

/** A refusal that arrived as a stream is reported like every other. */
async function refused(response: AsyncIterable<Buffer>, status: number): Promise<never> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    error?: ConstructorParameters<typeof ApiError>[1]
  }
  throw new ApiError(
    status,
    error ?? { code: `HTTP_${status}`, message: `The gateway answered ${status}`, request_id: '' },
  )
}

async function tail({ target, text, flag, tell, signal }: Context): Promise<void> {
  const topics = text('topics')
  const response = await open(await target(), {
    method: 'GET',
    path: `/admin-api/events${topics === undefined ? '' : `?topics=${encodeURIComponent(topics)}`}`,
    headers: { accept: 'text/event-stream' },
    signal,
  })
  if (response.statusCode !== 200) return refused(response, response.statusCode ?? 0)
  const count = text('count') === undefined ? Number.POSITIVE_INFINITY : Number(text('count'))
  let seen = 0
  const reader = createSseReader(EVENT_MAX_BYTES, ({ type, data }) => {
    if (seen >= count) return
    seen += 1
    const line = flag('json') ? JSON.stringify({ type, data: JSON.parse(data) as unknown }) : `${type} ${data}`
    tell(line, line)
    if (seen >= count) response.destroy()
  })
  try {
    for await (const chunk of response) reader.push(chunk as Buffer) // without an encoding, chunks are buffers
  } catch (error) {
    if (!signal.aborted && seen < count) throw error
  }
}

async function backup({ target, arg, tell, signal }: Context): Promise<void> {
  const file = arg(0)
  if (existsSync(file)) throw new UsageError(`${file} is there already; a backup never overwrites`)
  const response = await open(await target(), { method: 'POST', path: '/admin-api/backup', signal })
  if (response.statusCode !== 200) return refused(response, response.statusCode ?? 0)
  const hash = createHash('sha256')
  response.on('data', (chunk: Buffer) => hash.update(chunk))
  const written = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  let created = false
  written.once('open', () => (created = true))
  try {
    await pipeline(response, written, { signal })
    const sha256 = hash.digest('hex')
    if (response.headers['x-backup-sha256'] !== sha256)
      throw new Error(`${file} does not match the hash the gateway sent; take another backup`)
    tell({ file, sha256 }, `${file} ${sha256}`)
  } catch (error) {
    // A partial copy must not be taken for a backup; a file of another program stays.
    if (created) rmSync(file, { force: true })
    throw error
  }
}

async function openAdmin({ target, env, flag, tell, warn }: Context): Promise<ExitCode> {
  // Only here, so that nothing else of the gateway can reach what starts a program.
  const { adminAddress, openInBrowser } = await import('./browser.ts')
  const url = adminAddress((await target()).url)
  if (url === undefined) throw new UsageError('the address of the gateway is not one that browsers use')
  tell({ url }, url)
  if (flag('print')) return EXIT.ok
  const why = await openInBrowser(url, process.platform, env)
  if (why === undefined) return EXIT.ok
  warn(`no browser was opened: ${why}`)
  return EXIT.failed
}

const HEAD_KEYS = { beside_database: 'beside the database', configured: 'AUDIT_HEAD_KEY_FILE' } as const

export const OPERATE: readonly Command[] = [
  {
    name: 'open',
    summary: 'Open the admin application in the browser, and print its address',
    options: { print: { type: 'boolean', summary: 'only print the address' } },
    run: openAdmin,
  },
  {
    name: 'tail',
    summary: 'Print events as they occur',
    options: {
      topics: takes('a,b', 'clients, tools, calls, audit, config, sessions, pcg'),
      count: takes('n', 'stop after n events'),
    },
    run: tail,
  },
  {
    name: 'audit verify',
    summary: 'Verify the chain of the audit log',
    async run({ api, tell }) {
      const verdict = await api.auditLog.verify()
      const printed = verdict.valid
        ? `intact: ${verdict.checked} entries${verdict.headKey === undefined ? '' : ` (head key: ${HEAD_KEYS[verdict.headKey]})`}`
        : `BROKEN at ${verdict.brokenAt}: ${verdict.reason}`
      tell(verdict, printed)
      return verdict.valid ? EXIT.ok : EXIT.failed
    },
  },
  { name: 'backup', summary: 'Save a copy of the database', args: ['file'], run: backup },
  DOCTOR,
  PREFLIGHT,
]
