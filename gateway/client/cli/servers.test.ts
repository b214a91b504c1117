// The file of local servers, as the command line writes it.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readServersFile } from '../../instance/local-servers-file.ts'
import { writeServersFile } from '../../instance/write-local-servers-file.ts'
import { gantry as gantryIn } from './cli.fixture.ts'
import { EXIT } from './exit.ts'
import { programsIn } from './servers-import.ts'

const home = mkdtempSync(path.join(tmpdir(), 'gantry-servers-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const file = path.join(home, 'below', 'servers.json')
const gantry = (args: readonly string[]) => gantryIn({ HOME: home, USERPROFILE: home, LOCAL_SERVERS_FILE: file }, args)
const ENTRY = '{"command":"npx","args":["-y","a-server"]}'

describe('gantry servers', () => {
  it('adds nothing without a person at a terminal, and shows the whole command before', async () => {
    const { code, error } = await gantry(['servers', 'add', 'notes', '--entry', ENTRY])
    expect(code).toBe(EXIT.usage)
    expect(error).toContain('arguments ["-y","a-server"]')
    expect(error).toContain('run it in a terminal')
    await expect(readServersFile(file)).resolves.toBeUndefined()
  })

  it.each([
    ['Notes', ENTRY, 'its name must have'],
    ['notes', '{"url":"https://a.example/mcp"}', 'register a remote server'],
    ['notes', '{"command":"x","hosts":["a.example"]}', 'limit nothing without'],
    ['notes', '{"command":"x","secrets":["LD_PRELOAD"]}', 'cannot be a secret'],
    ['notes', '{"args":["x"]}', 'command'],
  ])('refuses the entry %s %s', async (name, entry, message) => {
    const { code, error } = await gantry(['servers', 'add', name, '--entry', entry])
    expect(code).toBe(EXIT.usage)
    expect(error).toContain(message)
  })

  it('writes the file for its owner only, and removes one entry of several', async () => {
    await writeServersFile(file, JSON.stringify({ other: 1, mcpServers: { a: { command: 'x' }, b: { command: 'y' } } }))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await gantry(['servers', 'remove', 'a'])).code).toBe(EXIT.ok)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ other: 1, mcpServers: { b: { command: 'y' } } })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await gantry(['servers', 'remove', 'a'])).code).toBe(EXIT.failed)
  })

  it('is not used where others may write it', async () => {
    const open = path.join(home, 'open.json')
    writeFileSync(open, '{"mcpServers":{}}')
    chmodSync(open, 0o666)
    await expect(readServersFile(open)).rejects.toThrow('others may write it')
  })
})

describe('gantry servers import', () => {
  const machine = mkdtempSync(path.join(tmpdir(), 'gantry-import-'))
  afterAll(() => rmSync(machine, { recursive: true, force: true }))
  const own = path.join(machine, 'servers.json')
  const run = (answers: Record<string, boolean>) => {
    const asked: string[] = []
    const done = gantryIn(
      { HOME: machine, USERPROFILE: machine, LOCAL_SERVERS_FILE: own },
      ['servers', 'import', 'cursor'],
      async (question) => {
        asked.push(question)
        return Object.values(answers)[asked.length - 1] ?? false
      },
    )
    return done.then((ended) => ({ ...ended, asked }))
  }

  it('shows and asks for each command by itself, copies no secret, and leaves out URLs and its own relay', async () => {
    mkdirSync(path.join(machine, '.cursor'))
    const mcpServers = {
      Notes: { command: 'node', args: ['a.js'], env: { LEVEL: 'high', API_TOKEN: 'tok-99887766' } },
      other: { command: 'node', args: ['b.js'] },
      remote: { url: 'https://a.example/mcp' },
      gantry: { command: 'node', args: ['/x/gantry-stdio.mjs'] },
    }
    writeFileSync(path.join(machine, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers }))
    const { code, error, asked } = await run({ Notes: true, other: false })
    expect([code, asked.length]).toEqual([EXIT.ok, 2])
    for (const shown of ['arguments ["a.js"]', 'arguments ["b.js"]', 'gantry servers secret notes API_TOKEN'])
      expect(error).toContain(shown)
    const text = readFileSync(own, 'utf8')
    expect(JSON.parse(text)).toEqual({
      mcpServers: { notes: { command: 'node', args: ['a.js'], env: { LEVEL: 'high' }, secrets: ['API_TOKEN'] } },
    })
    expect(text + error).not.toContain('tok-99887766')
  })

  it('never replaces a server that exists', async () => {
    const { error, asked } = await run({ other: false })
    expect(error).toContain('notes of')
    expect(error).toContain('it exists already')
    expect(asked.length).toBe(1)
  })

  it('reads the lists of OpenCode', () => {
    expect(programsIn({ a: { type: 'local', command: ['npx', '-y', 'x'], environment: { B: 'c' } } })).toEqual([
      { name: 'a', value: { command: 'npx', args: ['-y', 'x'], env: { B: 'c' }, secrets: [] } },
    ])
  })
})
