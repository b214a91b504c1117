// What the desktop window does with the programs of its computer: the person agrees in dialogs to whole commands, and the page names no file and no command.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ProgramAsk } from '../../contract/admin/server-programs.ts'
import { API } from '../../contract/api.ts'
import { createClient } from '../../contract/client.ts'
import { readLocalServers } from '../../contract/local-servers.ts'
import { crafted } from '../packages/archive.fixture.ts'
import { PLAIN, SIGNED_BY_TOOL } from '../packages/signed.fixture.ts'
import { createServerAdding, type ServerQuestion } from './servers-window.ts'

const home = mkdtempSync(path.join(tmpdir(), 'gantry-programs-'))
const file = path.join(home, 'data', 'servers.json')
const store = path.join(home, 'data', 'servers')
afterAll(() => rmSync(home, { recursive: true, force: true }))

const MAIN = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const send = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  if (method === 'initialize') send({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'b', version: '1' } })
  if (method === 'tools/list') send({ tools: [{ name: 'search', inputSchema: { type: 'object' } }] })
})
`
const manifest = {
  manifest_version: '0.3',
  name: 'Notes of Ada',
  version: '1.2.0',
  description: 'Reads notes',
  author: { name: 'Ada' },
  server: {
    type: 'node',
    entry_point: 'main.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/main.js', '${user_config.folder}'],
      env: { API_KEY: '${user_config.key}' },
    },
  },
  user_config: {
    folder: { type: 'directory', title: 'Notes', description: 'Where they are', required: true },
    key: { type: 'string', title: 'Key', sensitive: true },
  },
}
const archive = crafted([
  { name: 'manifest.json', data: JSON.stringify(manifest) },
  { name: 'main.js', data: MAIN },
])
const bundle = path.join(home, 'notes.mcpb')
writeFileSync(bundle, archive)
const notes = path.join(home, 'notes')
mkdirSync(notes)

/** A person with prepared answers, and what they saw. */
function aPerson() {
  const seen: ServerQuestion[] = []
  const person = {
    opens: undefined as string | undefined,
    saves: undefined as string | undefined,
    agrees: [] as boolean[],
  }
  const { ask } = createServerAdding({
    api: createClient(API, async () => ({
      status: 200,
      headers: {},
      body: JSON.stringify({ items: [], path: process.env['PATH'], pathFrom: 'environment', problems: [] }),
    })),
    file,
    env: { HOME: home, PATH: '/nonexistent' },
    async confirm(question) {
      seen.push(question)
      return person.agrees.shift() === true
    },
    openFile: async () => person.opens,
    saveFile: async () => person.saves,
  })
  return { ask, seen, person }
}

const chosenIn = async ({ ask, person }: ReturnType<typeof aPerson>, from = bundle) => {
  person.opens = from
  const answer = await ask({ ask: 'choose' })
  if (answer.answer !== 'chosen') throw new Error(JSON.stringify(answer))
  return answer.bundle
}
const adding = (sha256: string, more: object = {}): Extract<ProgramAsk, { ask: 'import' }> => ({
  ask: 'import',
  sha256,
  name: 'notes',
  settings: { folder: notes, key: true },
  hosts: [],
  folders: [],
  ...more,
})

describe('a bundle in the window', () => {
  it('is chosen by the person, and the page receives what it says, its hash, signature, files and settings', async () => {
    const window = aPerson()
    expect(await window.ask({ ask: 'choose' })).toEqual({ answer: 'declined' })
    expect(await chosenIn(window)).toMatchObject({
      file: bundle,
      name: 'notes-of-ada',
      author: 'Ada',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      signature: { state: 'unsigned' },
      settings: [
        { key: 'folder', type: 'directory', title: 'Notes', description: 'Where they are', required: true },
        { key: 'key', sensitive: true, required: false },
      ],
      files: [{ path: 'manifest.json' }, { path: 'main.js' }],
      fileCount: 2,
    })
    const signed = path.join(home, 'signed.mcpb')
    writeFileSync(signed, SIGNED_BY_TOOL)
    expect((await chosenIn(window, signed)).signature).toMatchObject({ state: 'signed', isSelfSigned: true })
    writeFileSync(signed, Buffer.concat([PLAIN, SIGNED_BY_TOOL.subarray(20)]))
    window.person.opens = signed
    expect(await window.ask({ ask: 'choose' })).toEqual({
      answer: 'fault',
      message: expect.stringContaining('its signature is broken'),
    })
    expect(existsSync(path.dirname(file))).toBe(false)
  })

  it('is unpacked only after the whole command, hash and files were agreed to, and is gone where its tools are declined', async () => {
    const window = aPerson()
    const { sha256 } = await chosenIn(window)
    expect(await window.ask(adding(sha256))).toEqual({ answer: 'declined' })
    expect(existsSync(store)).toBe(false)
    const [question] = window.seen
    expect(question?.purpose).toBe('import')
    for (const shown of [
      sha256,
      'signature not signed',
      'files     manifest.json, main.js',
      'command   "node"',
      `main.js","${notes}"]`,
      'secrets   API_KEY',
    ])
      expect(question?.lines).toContain(shown)
    window.person.agrees = [true, false]
    expect(await window.ask(adding(sha256))).toEqual({ answer: 'declined' })
    expect(window.seen.at(-1)?.purpose).toBe('tools')
    expect([readdirSync(store), existsSync(file)]).toEqual([[], false])
  })

  it('is not another one than was chosen, also where its file was replaced since', async () => {
    const window = aPerson()
    expect(await window.ask(adding('0'.repeat(64)))).toMatchObject({
      answer: 'fault',
      message: 'Choose the bundle again',
    })
    const { sha256 } = await chosenIn(window)
    writeFileSync(bundle, 'something else')
    window.person.agrees = [true, true]
    expect(await window.ask(adding(sha256))).toEqual({ answer: 'done', name: 'notes', text: '1.2.0' })
    writeFileSync(bundle, archive)
    const entry = readLocalServers(readFileSync(file, 'utf8')).entries.get('notes')
    expect(entry).toMatchObject({ command: 'node', sandbox: 'os', folders: [notes], secrets: ['API_KEY'], hosts: [] })
    expect(entry?.bundle?.folder).toBe(sha256)
    const { sha256: again } = await chosenIn(window)
    expect(await window.ask(adding(again))).toMatchObject({ message: expect.stringContaining('remove it first') })
    expect(await window.ask(adding(again, { name: 'b', settings: {} }))).toMatchObject({
      message: expect.stringContaining('--config: folder'),
    })
  }, 60_000)

  it('is made of an installed server, where the person says, and replaces the file that they agreed to replace', async () => {
    const { ask, person } = aPerson()
    expect(await ask({ ask: 'export', name: 'notes' })).toEqual({ answer: 'declined' })
    const out = path.join(home, 'out.mcpb')
    writeFileSync(out, 'an older one')
    person.saves = out
    expect(await ask({ ask: 'export', name: 'notes' })).toEqual({ answer: 'done', name: 'notes', text: out })
    expect(await chosenIn({ ask, person, seen: [] }, out)).toMatchObject({ title: 'Notes of Ada', author: 'Ada' })
    expect(readdirSync(home).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(await ask({ ask: 'export', name: 'none' })).toMatchObject({ message: 'there is no local server none' })
  })

  it('asks one person one question at a time', async () => {
    const { ask } = aPerson()
    const both = await Promise.all([ask({ ask: 'choose' }), ask({ ask: 'choose' })])
    expect(both.map(({ answer }) => answer)).toEqual(['declined', 'fault'])
  })

  it('is removed after the person agreed', async () => {
    const { ask, person, seen } = aPerson()
    expect(await ask({ ask: 'remove', name: 'notes' })).toEqual({ answer: 'declined' })
    expect(seen[0]?.lines).toContain('command   "node"')
    person.agrees = [true]
    expect(await ask({ ask: 'remove', name: 'notes' })).toMatchObject({ answer: 'done' })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: {} })
  })
})
