// Discovery of tools by a search, and of large specifications: processor time beside that of parsing the same text, each in
// a process of its own.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { BenchPart, BenchRow } from './index.ts'
import { quietly } from './quiet.ts'
import { recallRows } from './recall.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const ONE = path.join(import.meta.dirname, 'discovery-one.ts')
/** The large collection where it is beside the project, else what the project has. */
const FOLDERS = ['../shared', '../../shared', 'e2e'].map((folder) => path.join(ROOT, folder, 'corpora/openapi'))
const SPECS = ['stripe.v30.json', 'digitalocean.v30.json', 'twilio-api-v2010.v30.json', 'docker-engine.v30.json']
const MOST = 4
const ATTEMPTS = 3

type Measured = { readonly parseMs: number; readonly discoveryMs: number; readonly tools: number }

function measured(file: string): Measured {
  const { status, stdout } = spawnSync(process.execPath, [ONE, file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  })
  if (status !== 0) throw new Error(`${file} could not be measured`)
  return JSON.parse(stdout) as Measured // discovery-one.ts wrote it
}

async function row(file: string): Promise<BenchRow> {
  const label = path.basename(file)
  const aim = `≤ ${MOST}`
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await quietly(async () => measured(file))
    if (found === undefined) continue
    const ratio = found.discoveryMs / found.parseMs
    const value = `${found.discoveryMs.toFixed(0)} ms, ${found.tools} tools`
    const beside = `${found.parseMs.toFixed(0)} ms its parse`
    return { label, value, beside, ratio: ratio.toFixed(1), aim, met: ratio <= MOST }
  }
  return { label, value: 'noisy', aim }
}

export const discovery: BenchPart = {
  name: 'discovery',
  async *run() {
    yield* recallRows()
    const found = SPECS.map((name) => FOLDERS.map((folder) => path.join(folder, name)).find(existsSync))
    for (const file of found) if (file !== undefined) yield await row(file)
  },
}
