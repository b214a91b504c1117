// What an entry of the catalogue may run, and what is refused before a person is asked.
import { describe, expect, it } from 'vitest'
import { entryIn, listIn } from '../operations/local-servers/registry-answer.ts'
import { localName, offeredOf } from './catalog-program.ts'

const entryWith = (given: object, server: object = {}) => {
  const packages = [{ registryType: 'npm', identifier: 'a-server', version: '1.0.0', ...given }]
  const entry = entryIn({ server: { name: 'io.github.ada/a-server', version: '1.0.0', packages, ...server } })
  if (entry === undefined) throw new Error('it is not read')
  return entry
}
const offeredWith = (given: object) => offeredOf(entryWith(given))

describe('an entry of the catalogue', () => {
  it('is a pinned command in the sandbox of the operating system; what it needs is a secret', () => {
    const environmentVariables = [
      { name: 'TOKEN', isSecret: true },
      { name: 'PLACE', isRequired: true },
      { name: 'LEVEL', default: 'high' },
      { name: 'EXTRA' },
      { name: 'URL_OF', value: 'https://{host}', variables: { host: {} }, isRequired: true },
    ]
    const packageArguments = [
      { type: 'positional', value: 'serve' },
      { type: 'named', name: '--dir', valueHint: 'folder', isRequired: true },
      { type: 'named', name: '--mode', default: 'fast' },
      { type: 'named', name: '--quiet', isRequired: true },
    ]
    expect(offeredWith({ environmentVariables, packageArguments })).toEqual({
      program: {
        command: 'npx',
        args: ['-y', 'a-server@1.0.0', 'serve', '--mode', 'fast', '--quiet'],
        env: { LEVEL: 'high' },
        secrets: ['TOKEN', 'PLACE', 'URL_OF'],
        sandbox: 'os',
      },
      missingArgs: ['--dir'],
    })
    expect(offeredWith({ registryType: 'pypi', identifier: 'a-server' })).toMatchObject({
      program: { command: 'uvx', args: ['a-server@1.0.0'], sandbox: 'os' },
    })
    const image = `example.com/a@sha256:${'a'.repeat(64)}`
    expect(offeredWith({ registryType: 'oci', identifier: image, version: undefined })).toMatchObject({
      program: { command: image, args: [], sandbox: 'container' },
    })
  })

  it.each([
    [{ environmentVariables: [{ name: 'NODE_OPTIONS', default: '--require /tmp/x' }] }, 'makes a program load code'],
    [{ environmentVariables: [{ name: 'LD_PRELOAD', isSecret: true }] }, 'makes a program load code'],
    [{ environmentVariables: [{ name: 'A=B', default: 'x' }] }, 'must be the name of an environment variable'],
    [{ runtimeArguments: [{ type: 'named', name: '--package', value: 'evil' }] }, 'it asks for --package'],
    [{ runtimeArguments: [{ type: 'positional', value: '--node-options=x' }] }, 'it asks for --node-options=x'],
    [{ registryBaseUrl: 'https://npm.evil.example' }, 'it is in the registry https://npm.evil.example'],
    [{ identifier: 'github:evil/x' }, 'is not a package of a registry'],
    [{ identifier: '../../x' }, 'is not a package of a registry'],
    [{ identifier: '--call=ls', version: undefined }, 'is not understood'],
    [{ identifier: 'a', version: '1.0.0 --x' }, 'is not a package of a registry'],
    [{ transport: { type: 'streamable-http', url: 'http://127.0.0.1:1/' } }, 'not stdio'],
    [{ registryType: 'oci', identifier: 'example.com/a:latest' }, 'has no digest'],
    [{ registryType: 'mcpb', identifier: 'https://a.example/x.mcpb' }, 'it is a bundle'],
    [{ registryType: 'nuget' }, 'not supported'],
  ])('%j cannot be added: %s', (given, reason) => {
    expect(offeredWith(given)).toContain(reason)
  })

  it('takes the first package that can be added, and says where a remote server belongs', () => {
    const packages = [
      { registryType: 'nuget', identifier: 'x' },
      { registryType: 'npm', identifier: 'a-server' },
    ]
    expect(offeredOf(entryWith({}, { packages }))).toMatchObject({ program: { args: ['-y', 'a-server'] } })
    const remotes = [{ type: 'streamable-http', url: 'https://a.example/mcp' }]
    expect(offeredOf(entryWith({}, { packages: [], remotes }))).toContain('add its URL as a backend')
  })

  it.each([
    ['io.github.ada/a', { name: 'ada', proof: 'github' }],
    ['com.example.tools/a', { name: 'tools.example.com', proof: 'domain' }],
    ['plain', { name: 'plain', proof: 'none' }],
  ])('names the publisher of %s', (name, publisher) => {
    expect(entryWith({}, { name }).publisher).toEqual(publisher)
  })

  it('has a name that the file accepts', () => {
    expect(['io.github.Ada/My_Server.js', 'a/---'].map(localName)).toEqual(['my-server-js', 'server'])
  })
})

describe('the answer of a registry', () => {
  it('is read without the entries that are none, and its texts are cleaned', () => {
    const good = { server: { name: 'a.b/c', version: '1', description: 'x\u202ey\u0007' } }
    const list = listIn({
      servers: [1, null, { server: {} }, { server: { name: 'a\u200bb/c', version: '1' } }, good],
      metadata: { nextCursor: '' },
    })
    expect(list?.entries.map(({ name, description }) => [name, description])).toEqual([['a.b/c', 'xy']])
    expect(list?.nextCursor).toBeNull()
    for (const other of [null, [], 'x', {}, { servers: 1 }]) expect(listIn(other)).toBeUndefined()
  })

  it('leaves out addresses that are no web addresses', () => {
    const entry = entryWith(
      {},
      { repository: { url: 'javascript:alert(1)' }, remotes: [{ type: 'sse', url: 'file:///etc/passwd' }] },
    )
    expect([entry.repository, entry.remotes]).toEqual([null, []])
  })
})
