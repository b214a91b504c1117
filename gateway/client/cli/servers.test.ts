// The file of local servers, as the command line writes it.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readServersFile } from '../../instance/local-servers-file.ts'
import { writeServersFile } from '../../instance/write-local-servers-file.ts'
import { gantry as gantryIn } from './cli.fixture.ts'
import { EXIT } from './exit.ts'

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
