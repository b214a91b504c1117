// Every agent on every system connected, moved and taken off again in a home of its own; the admin API is a double.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AGENT_IDS, type AgentId } from '../../contract/agent-entry.ts'
import type { AgentChange } from '../../contract/agent-records.ts'
import { agentOf, fileOf, type Machine } from './agents.ts'
import { connect, keysDouble, world } from './connections.fixture.ts'
import { createConnections } from './connections.ts'

/** Files are written where this system can write them; the paths of every system are looked at further down. */
const PLATFORMS = process.platform === 'win32' ? (['win32'] as const) : (['linux', 'darwin'] as const)
const STYLES: Readonly<Record<AgentId, string>> = {
  'claude-code':
    '{"numStartups":3,"projects":{"/x":{"history":["a, b"]}},"mcpServers":{"other":{"type":"stdio","command":"x"}}}',
  'claude-desktop': '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  },\n  "theme": "dark"\n}\n',
  cursor:
    '{\r\n  "mcpServers": {\r\n    "other": {\r\n      "url": "http://localhost:3000/mcp"\r\n    }\r\n  }\r\n}\r\n',
  vscode:
    '{\n\t// servers of mine\n\t"servers": {\n\t\t"other": { "type": "stdio", "command": "x" }, // last\n\t},\n\t"inputs": []\n}\n',
  codex: '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x"\nargs = [\n  "a", # b\n]\n\n[tui]\n',
  'gemini-cli': '\uFEFF{\n    // ui\n    "theme": "x",\n    "mcpServers": { "other": { "command": "x" } }\n}',
  windsurf: '{"mcpServers": {"other": {"serverUrl": "https://example.com/mcp"}}}\n',
  opencode:
    '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "other": { "type": "local", "command": ["x"], },\n  },\n}\n',
}

describe.each(PLATFORMS)('agents on %s', (platform) => {
  it.each(AGENT_IDS)(
    '%s is connected, offered the new address, and taken off: every byte of others stays',
    async (id) => {
      const { machine, keys, apply, status, connections, move } = world(platform)
      const file = fileOf(agentOf(id), machine)
      expect((await status(id)).connections).toEqual([])
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, STYLES[id], { mode: 0o640 })
      expect((await status(id)).connections).toEqual([])

      const { backup } = await apply(connect(id))
      expect(backup && readFileSync(backup, 'utf8')).toBe(STYLES[id])
      expect(statSync(file).mode & 0o777).toBe(0o640)
      const there = readFileSync(file, 'utf8')
      expect(there).toContain(keys[0]?.key)
      expect(keys[0]).toMatchObject({
        active: true,
        scopes: { bundles: ['dev'] },
        label: `${agentOf(id).label}: gantry-dev`,
      })
      expect(await status(id)).toMatchObject({
        problem: null,
        connections: [
          { name: 'gantry-dev', state: 'connected', lastUsedAt: null, target: { scope: 'bundle', name: 'dev' } },
        ],
      })

      move('http://127.0.0.1:9999')
      expect((await status(id)).connections).toMatchObject([{ state: 'old-address' }])
      const moving = { do: 'move', agent: id, name: 'gantry-dev' } as const
      const plan = await connections.plan(moving)
      expect(
        plan.diff
          .filter(({ kind }) => kind !== 'same')
          .map(({ text }) => text)
          .join('\n'),
      ).toContain('127.0.0.1:9999')
      await connections.apply(moving, plan.version)
      expect((await status(id)).connections).toMatchObject([
        { state: 'connected', url: 'http://127.0.0.1:9999/mcp-custom/dev' },
      ])
      expect(keys).toHaveLength(1)

      await apply({ do: 'disconnect', agent: id, name: 'gantry-dev' })
      expect(readFileSync(file, 'utf8')).toBe(STYLES[id])
      expect(keys[0]?.active).toBe(false)
      expect(readdirSync(path.dirname(file)).filter((name) => name.endsWith('.tmp'))).toEqual([])
    },
  )

  it.each(AGENT_IDS)('%s gets its file where there was none, and undoing takes it away', async (id) => {
    const { machine, keys, apply, connections } = world(platform)
    const file = fileOf(agentOf(id), machine)
    const { undo, backup } = await apply(connect(id))
    expect(backup).toBeNull()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await connections.undo(undo)
    expect(existsSync(file)).toBe(false)
    expect(keys[0]?.active).toBe(false)
    await expect(connections.undo(undo)).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' })
  })
})

describe('a change', () => {
  it('shows what it does and no secret, and its key is made only when it is applied', async () => {
    const { home, keys, connections } = world()
    mkdirSync(path.join(home, '.cursor'))
    writeFileSync(
      path.join(home, '.cursor', 'mcp.json'),
      '{\n  "mcpServers": {\n    "a": { "env": { "API_KEY": "sk-1" } }\n  }\n}\n',
      { mode: 0o644 },
    )
    const plan = await connections.plan(connect('cursor'))
    expect(plan).toMatchObject({ creates: false, command: null, notes: [expect.stringContaining('Other users')] })
    expect(plan.diff).toContainEqual({ kind: 'added', text: '        "Authorization": "Bearer ••••••"' })
    expect(plan.diff).toContainEqual({ kind: 'removed', text: '    "a": { "env": { "API_KEY": "••••••" } }' })
    expect(keys).toEqual([])
  })

  it('shows in full the program that it makes an agent start, and puts the bridge there', async () => {
    const { home, folder, connections, apply, keys } = world()
    const { command } = await connections.plan(connect('claude-desktop'))
    expect(command).toBe(`${home}/bin/node ${folder}/gantry-stdio.mjs --url http://127.0.0.1:8790/mcp-custom/dev`)
    await apply(connect('claude-desktop'))
    expect(readFileSync(path.join(folder, 'gantry-stdio.mjs'), 'utf8')).toBe('// the bridge\n')
    const file = readFileSync(path.join(home, '.config', 'Claude', 'claude_desktop_config.json'), 'utf8')
    expect(JSON.parse(file)).toEqual({
      mcpServers: {
        'gantry-dev': {
          command: `${home}/bin/node`,
          args: [`${folder}/gantry-stdio.mjs`, '--url', 'http://127.0.0.1:8790/mcp-custom/dev'],
          env: { GANTRY_KEY: keys[0]?.key },
        },
      },
    })
  })

  it('is refused when the file is another than the one looked at, and leaves no key behind', async () => {
    const { home, keys, connections } = world()
    const plan = await connections.plan(connect('cursor'))
    mkdirSync(path.join(home, '.cursor'))
    writeFileSync(path.join(home, '.cursor', 'mcp.json'), '{}')
    await expect(connections.apply(connect('cursor'), plan.version)).rejects.toMatchObject({ code: 'FILE_CHANGED' })
    expect(readFileSync(path.join(home, '.cursor', 'mcp.json'), 'utf8')).toBe('{}')
    expect(keys.filter(({ active }) => active)).toEqual([])
  })

  it('is refused for what others own, and for what cannot be read', async () => {
    const { home, keys, connections, status } = world()
    const folder = path.join(home, '.cursor')
    const file = path.join(folder, 'mcp.json')
    mkdirSync(folder)
    const refused = async (code: string) => {
      await expect(connections.plan(connect('cursor'))).rejects.toMatchObject({ code })
      expect((await status('cursor')).connections).toEqual([])
    }
    writeFileSync(file, '{"mcpServers":{"gantry-dev":{"command":"another users"}}}')
    await refused('NAME_TAKEN')
    await expect(connections.plan({ do: 'disconnect', agent: 'cursor', name: 'gantry-dev' })).rejects.toMatchObject({
      code: 'NO_SUCH_ENTRY',
    })
    writeFileSync(file, '{"mcpServers":')
    await refused('FILE_UNREADABLE')
    expect((await status('cursor')).problem).toContain('line 1')
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]))
    await refused('FILE_UNREADABLE')
    truncateSync(file, 33 * 1_048_576)
    await refused('FILE_TOO_LARGE')
    rmSync(file)
    writeFileSync(path.join(home, 'dotfile'), '{}')
    symlinkSync(path.join(home, 'dotfile'), file)
    await refused('FILE_IS_LINK')
    rmSync(file)
    mkdirSync(file)
    await refused('FILE_UNREADABLE')
    rmSync(file, { recursive: true })
    await expect(connections.plan(connect('cursor', '../x'))).rejects.toMatchObject({ code: 'NAME_INVALID' })
    const gone: AgentChange = { do: 'connect', agent: 'cursor', name: 'g', target: { scope: 'bundle', name: 'gone' } }
    await expect(connections.plan(gone)).rejects.toMatchObject({ code: 'BUNDLE_NOT_FOUND' })
    expect(keys).toEqual([])
  })

  it('of a read-only file fails, and the key made for it is revoked', async () => {
    const { home, keys, apply } = world()
    mkdirSync(path.join(home, '.cursor'))
    const file = path.join(home, '.cursor', 'mcp.json')
    writeFileSync(file, '{}')
    chmodSync(file, 0o444)
    await expect(apply(connect('cursor'))).rejects.toMatchObject({ code: 'FILE_READ_ONLY' })
    expect(readFileSync(file, 'utf8')).toBe('{}')
    expect(keys.map(({ active }) => active)).toEqual([false])
  })

  it('never waits: without a gateway or without Node.js it reports what is missing', async () => {
    const { connections, move, machine } = world()
    move(null)
    await expect(connections.plan(connect('cursor'))).rejects.toMatchObject({ code: 'GATEWAY_STOPPED' })
    move('http://127.0.0.1:8790')
    rmSync(path.join(machine.home, 'bin'), { recursive: true })
    const nowhere = createConnections({
      machine: { ...machine, platform: 'win32', env: {} },
      api: keysDouble().api,
      address: () => 'http://127.0.0.1:1',
      folder: machine.home,
      bridge: () => '',
    })
    await expect(nowhere.plan(connect('claude-desktop'))).rejects.toMatchObject({ code: 'NODE_MISSING' })
  })
})

describe('undoing', () => {
  it('keeps what others wrote in the meantime', async () => {
    const { home, apply, connections } = world()
    mkdirSync(path.join(home, '.cursor'))
    const file = path.join(home, '.cursor', 'mcp.json')
    writeFileSync(file, '{"mcpServers":{"a":1}}')
    const { undo } = await apply(connect('cursor'))
    writeFileSync(file, readFileSync(file, 'utf8').replace('"a":1', '"a":2,"b":3'))
    await connections.undo(undo)
    expect(readFileSync(file, 'utf8')).toBe('{"mcpServers":{"a":2,"b":3}}')
  })

  it('connects what was disconnected, where it stood and with what a person had set, under a new key', async () => {
    const { home, apply, connections, keys, status } = world()
    mkdirSync(path.join(home, '.codex'))
    const file = path.join(home, '.codex', 'config.toml')
    await apply(connect('codex'))
    writeFileSync(file, `${readFileSync(file, 'utf8')}tool_timeout_sec = 90\n\n[tui]\n`)
    const { undo } = await apply({ do: 'disconnect', agent: 'codex', name: 'gantry-dev' })
    expect(readFileSync(file, 'utf8')).toBe('\n[tui]\n')
    await connections.undo(undo)
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^\[mcp_servers\.gantry-dev\]\n[^[]*tool_timeout_sec = 90\n\n\[tui\]\n$/)
    expect(keys.map(({ active }) => active)).toEqual([false, true])
    expect((await status('codex')).connections).toMatchObject([{ state: 'connected' }])
  })
})

describe('what is looked at', () => {
  it('distinguishes an entry of ours from one without a working key, one of another gateway, and a foreign one', async () => {
    const { home, apply, keys, status } = world()
    await apply(connect('cursor'))
    const file = path.join(home, '.cursor', 'mcp.json')
    const written = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, unknown> }
    Object.assign(written.mcpServers, {
      'gantry-team': {
        url: 'https://gantry.example.com/mcp-custom/team',
        headers: { Authorization: 'Bearer mcp_' + 'x'.repeat(40) },
      },
      mine: { url: 'http://127.0.0.1:8790/mcp/pcg' },
      far: { url: 'https://example.com/mcp/x' },
      local: { command: 'npx', args: ['thing'] },
      odd: 'text',
    })
    writeFileSync(file, JSON.stringify(written))
    const states = async () => (await status('cursor')).connections.map(({ name, state }) => [name, state])
    expect(await states()).toEqual([
      ['gantry-dev', 'connected'],
      ['gantry-team', 'foreign'],
      ['mine', 'no-key'],
    ])
    for (const key of keys) key.active = false
    expect((await states())[0]).toEqual(['gantry-dev', 'no-key'])
  })

  it('is noticed by folder or by program, and by the file a person has chosen', async () => {
    const { home, status } = world()
    expect((await status('gemini-cli')).installed).toBe(false)
    writeFileSync(path.join(home, 'bin', 'gemini'), '')
    expect((await status('gemini-cli')).installed).toBe(true)
    mkdirSync(path.join(home, '.config', 'opencode'), { recursive: true })
    writeFileSync(path.join(home, '.config', 'opencode', 'opencode.jsonc'), '{}')
    expect(await status('opencode')).toMatchObject({
      installed: true,
      file: path.join(home, '.config', 'opencode', 'opencode.jsonc'),
    })
  })

  it.each([
    [
      'linux',
      '/h',
      {},
      '/h/.claude.json /h/.config/Claude/claude_desktop_config.json /h/.cursor/mcp.json /h/.config/Code/User/mcp.json /h/.codex/config.toml /h/.gemini/settings.json /h/.codeium/windsurf/mcp_config.json /h/.config/opencode/opencode.json',
    ],
    [
      'linux',
      '/h',
      { XDG_CONFIG_HOME: '/x', CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/d' },
      '/d/.claude.json /x/Claude/claude_desktop_config.json /h/.cursor/mcp.json /x/Code/User/mcp.json /c/config.toml /h/.gemini/settings.json /h/.codeium/windsurf/mcp_config.json /x/opencode/opencode.json',
    ],
    [
      'darwin',
      '/h',
      {},
      '/h/.claude.json /h/Library/Application-Support/Claude/claude_desktop_config.json /h/.cursor/mcp.json /h/Library/Application-Support/Code/User/mcp.json /h/.codex/config.toml /h/.gemini/settings.json /h/.codeium/windsurf/mcp_config.json /h/.config/opencode/opencode.json',
    ],
    [
      'win32',
      'C:\\h',
      { APPDATA: 'C:\\r' },
      'C:\\h\\.claude.json C:\\r\\Claude\\claude_desktop_config.json C:\\h\\.cursor\\mcp.json C:\\r\\Code\\User\\mcp.json C:\\h\\.codex\\config.toml C:\\h\\.gemini\\settings.json C:\\h\\.codeium\\windsurf\\mcp_config.json C:\\h\\.config\\opencode\\opencode.json',
    ],
  ] as const)('has its file where %s keeps it (%s, %o)', (platform, home, env, files) => {
    const machine: Machine = { platform, home, env }
    expect(
      AGENT_IDS.map((id) => fileOf(agentOf(id), machine).replace('Application Support', 'Application-Support')).join(
        ' ',
      ),
    ).toBe(files)
  })
})
