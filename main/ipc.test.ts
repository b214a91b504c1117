// Every channel refuses unknown senders and malformed input before it calls its handler.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AppFacts, CHANNEL_NAMES, CHANNELS, type ChannelName } from '#channels'
import { firstSettings } from './desktop-settings.ts'
import { type Frame, type Handlers, handleAll, type IpcMain, isTrusted } from './ipc.ts'

const ORIGIN = 'app://gantry'
const PAGE: Frame = { url: `${ORIGIN}/desktop.html#/users`, parent: null }
const STATUS = { state: 'running', url: 'http://127.0.0.1:8790', reason: null, movedFrom: null } as const
const FACTS: AppFacts = {
  version: '1.0.0',
  settings: firstSettings('linux'),
  fixed: [],
  dataFolder: '/data',
  logFolder: '/data/logs',
  keyStore: 'keyring',
  keyLack: null,
  mayChoosePassphrase: false,
  hasTray: true,
  updatesOff: null,
}

const GOOD: Readonly<Record<ChannelName, unknown>> = {
  'admin:request': { method: 'GET', path: '/admin-api/overview?x=1', headers: { accept: 'application/json' } },
  'gateway:status': undefined,
  'gateway:restart': undefined,
  'gateway:pause': undefined,
  'gateway:safe-mode': undefined,
  'shell:open-external': 'https://example.com/docs',
  'shell:show-folder': 'logs',
  'app:facts': undefined,
  'app:change-settings': { port: 9000 },
  'app:agent-key': undefined,
  'app:give-passphrase': 'correct horse battery',
  'app:check-for-update': undefined,
  'link:take': undefined,
  'page:take': undefined,
  'agents:ask': { ask: 'list' },
  'servers:add': { name: 'no.such/server', hosts: [] },
  'servers:tools': { name: 'no.such/server' },
  'servers:ask': { ask: 'export', name: 'notes' },
}

type Invoke = (channel: string, frame: Frame | null, input: unknown) => Promise<unknown>

/** The main end of a double's IPC, and what reached the handlers. */
function connected(overrides: Partial<Handlers> = {}): { invoke: Invoke; received: string[]; channels: string[] } {
  const listeners = new Map<string, Parameters<IpcMain['handle']>[1]>()
  const received: string[] = []
  const hear = <T>(channel: ChannelName, answer: T): T => {
    received.push(channel)
    return answer
  }
  handleAll(
    { handle: (channel, listener) => void listeners.set(channel, listener) },
    {
      'admin:request': () => hear('admin:request', { status: 200, headers: {}, body: '{}' }),
      'gateway:status': () => hear('gateway:status', STATUS),
      'gateway:restart': () => hear('gateway:restart', STATUS),
      'gateway:pause': () => hear('gateway:pause', STATUS),
      'gateway:safe-mode': () => hear('gateway:safe-mode', STATUS),
      'shell:open-external': () => hear('shell:open-external', undefined),
      'shell:show-folder': () => hear('shell:show-folder', undefined),
      'app:facts': () => hear('app:facts', FACTS),
      'app:change-settings': () => hear('app:change-settings', FACTS),
      'app:agent-key': () => hear('app:agent-key', null),
      'app:give-passphrase': () => hear('app:give-passphrase', false),
      'app:check-for-update': () => hear('app:check-for-update', { state: 'no-feed' as const }),
      'link:take': () => hear('link:take', null),
      'page:take': () => hear('page:take', null),
      'agents:ask': () => hear('agents:ask', { answer: 'list' as const, agents: [] }),
      'servers:add': () => hear('servers:add', { answer: 'declined' as const }),
      'servers:tools': () => hear('servers:tools', { answer: 'declined' as const }),
      'servers:ask': () => hear('servers:ask', { answer: 'declined' as const }),
      ...overrides,
    },
    ORIGIN,
  )
  const invoke: Invoke = async (channel, senderFrame, input) => {
    const listener = listeners.get(channel)
    if (!listener) throw new Error(`No handler registered for '${channel}'`)
    return listener({ senderFrame }, input)
  }
  return { invoke, received, channels: [...listeners.keys()] }
}

const UNKNOWN_SENDERS: readonly (readonly [string, Frame | null])[] = [
  ['a frame that is gone', null],
  ['an empty address', { url: '', parent: null }],
  ['about:blank', { url: 'about:blank', parent: null }],
  ['an iframe of our own page', { ...PAGE, parent: PAGE }],
  ['a web page', { url: 'https://gantry/desktop.html', parent: null }],
  ['another host of our scheme', { url: 'app://gantry.evil/desktop.html', parent: null }],
  ['our name with a port', { url: 'app://gantry:1/desktop.html', parent: null }],
  ['our name as a user name', { url: 'app://gantry@evil/desktop.html', parent: null }],
  ['a user name before ours', { url: 'app://evil@gantry/desktop.html', parent: null }],
  ['another scheme', { url: 'apps://gantry/desktop.html', parent: null }],
  ['a file', { url: 'file:///app://gantry/desktop.html', parent: null }],
  ['a blob of our page', { url: 'blob:app://gantry/1f0c', parent: null }],
  ['a data page', { url: 'data:text/html,app://gantry', parent: null }],
]

describe('a sender', () => {
  it.each(UNKNOWN_SENDERS)('is refused: %s', async (_who, frame) => {
    expect(isTrusted(frame, ORIGIN)).toBe(false)
    const { invoke, received } = connected()
    for (const channel of CHANNEL_NAMES)
      await expect(invoke(channel, frame, GOOD[channel])).rejects.toThrow(`${channel}: refused`)
    expect(received).toEqual([])
  })

  it('is trusted as the top frame of our page, wherever its fragment leads', () => {
    expect(isTrusted(PAGE, ORIGIN)).toBe(true)
    expect(isTrusted({ url: ORIGIN, parent: null }, ORIGIN)).toBe(true)
  })
})

const BAD_PATHS = [
  '/health',
  '/mcp/petstore',
  '/admin-apix/users',
  'admin-api/users',
  '//evil/admin-api/users',
  'http://evil/admin-api/users',
  '/admin-api/../mcp/petstore',
  '/admin-api/..%2fmcp/petstore',
  '/admin-api/%2e%2e/mcp/petstore',
  '/admin-api/%2E%2E/%2E%2E/mcp',
  '/admin-api\\..\\mcp',
  '/admin-api/%5c..%5cmcp',
  '/admin-api/users\r\nx-evil: 1',
  '/admin-api/users#fragment',
  `/admin-api/${'a'.repeat(8192)}`,
]

describe('the input of', () => {
  it.each(BAD_PATHS)('admin:request is refused with the path %s', async (path) => {
    const { invoke, received } = connected()
    const request = { method: 'GET', path, headers: {} }
    await expect(invoke('admin:request', PAGE, request)).rejects.toThrow('invalid input')
    expect(received).toEqual([])
  })

  const rest = { method: 'GET', path: '/admin-api/users', headers: {} }
  it.each([
    ['another method', { ...rest, method: 'TRACE' }],
    ['an unknown field', { ...rest, principal: 'superadmin' }],
    ['a body that is no text', { ...rest, body: { toString: 'x' } }],
    ['a header that is no text', { ...rest, headers: { accept: 1 } }],
    ['a header with a line break in its name', { ...rest, headers: { 'a\r\nb': '1' } }],
    ['too many headers', { ...rest, headers: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`h${n}`, ''])) }],
    ['nothing', undefined],
    ['a list', [rest]],
  ])('admin:request is refused with %s', async (_what, request) => {
    await expect(connected().invoke('admin:request', PAGE, request)).rejects.toThrow('invalid input')
  })

  it.each(CHANNEL_NAMES)('%s calls its handler with valid input only', async (channel) => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (input) => {
        const { invoke, received } = connected()
        const valid = CHANNELS[channel].input.safeParse(input).success
        const outcome = await invoke(channel, PAGE, input).then(
          () => 'answered',
          (error: unknown) => String(error),
        )
        expect(outcome).toBe(valid ? 'answered' : `Error: ${channel}: invalid input`)
        expect(received).toEqual(valid ? [channel] : [])
      }),
    )
  })

  it('refuses without telling what it received', async () => {
    const secret = { method: 'GET', path: '/admin-api/users', headers: {}, password: 'correct horse' }
    await expect(connected().invoke('admin:request', PAGE, secret)).rejects.toThrow(/^admin:request: invalid input$/)
  })
})

describe('the output', () => {
  it('that breaks the contract does not reach the page', async () => {
    // A handler that is wrong by its type as well: the compiler would refuse it, the wrapper must too.
    const wrong = { 'gateway:status': () => ({ state: 'sleeping' }) } as unknown as Partial<Handlers>
    await expect(connected(wrong).invoke('gateway:status', PAGE, undefined)).rejects.toThrow()
  })

  it('loses what the contract does not name', async () => {
    const chatty = { 'gateway:status': () => ({ ...STATUS, key: 'secret' }) }
    expect(await connected(chatty).invoke('gateway:status', PAGE, undefined)).toEqual(STATUS)
  })
})

describe('the channels', () => {
  it('are all handled, and no other is', async () => {
    const { invoke, channels } = connected()
    expect(channels.toSorted()).toEqual([...CHANNEL_NAMES].toSorted())
    expect(Object.keys(CHANNELS).toSorted()).toEqual([...CHANNEL_NAMES].toSorted())
    await expect(invoke('app:eval', PAGE, '1')).rejects.toThrow('No handler registered')
  })

  it.each(CHANNEL_NAMES)('%s takes what the contract allows', async (channel) => {
    const { invoke, received } = connected()
    await invoke(channel, PAGE, GOOD[channel])
    expect(received).toEqual([channel])
  })
})
