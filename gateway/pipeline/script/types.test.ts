// The types of a script compile with any schemas, and refuse a wrong call.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { typesOf } from './types.ts'

const TSC = path.resolve(import.meta.dirname, '../../../node_modules/typescript/bin/tsc')
const NODE = {
  type: 'object',
  properties: { next: { $ref: '#/$defs/node' }, '*/ } declare const broken: never /*': { type: 'string' } },
}
const TOOLS = [
  {
    name: 'issues__get',
    definition: {
      description: 'Reads one. */ const broken = `',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'integer', description: '*/ broken' }, state: { enum: ['open', 'closed', null] } },
        required: ['id'],
      },
      resultSchema: JSON.stringify({
        type: 'object',
        properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: ['string', 'null'] } } },
        required: ['title', 'tags'],
      }),
    },
  },
  {
    name: 'odd"name\\',
    definition: {
      description: '',
      inputSchema: {
        $defs: { node: NODE },
        allOf: [{ $ref: '#/$defs/node' }, { anyOf: [{ type: 'object', properties: { a: { const: 1 } } }, {}] }],
      },
      outputSchema: { type: 'object', additionalProperties: { type: 'number' } },
    },
  },
]
const SCRIPT = `
export default async function (input: Input): Promise<Output> {
  const { title, tags } = await call('issues__get', { id: input.number, state: 'open' })
  const many = await callMany([1, 2].map((id) => ({ tool: 'issues__get' as const, args: { id } })), { parallel: 2 })
  const tried = await tryCall('odd"name\\\\', {})
  // @ts-expect-error no such tool
  await call('issues__list', {})
  // @ts-expect-error a required argument is missing
  await call('issues__get', {})
  // @ts-expect-error of another type
  await call('issues__get', { id: 'one' })
  // @ts-expect-error not one of the choices
  await call('issues__get', { id: 1, state: 'lost' })
  // @ts-expect-error not in the result
  title.missing
  return { first: many[0]?.title ?? title, count: tags.length + (tried.isError ? 0 : (tried.json['x'] ?? 0)) }
}
`

it('compile with any schemas, and find a wrong tool, argument and result', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const number = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] }
  const counted = {
    type: 'object',
    properties: { first: { type: 'string' }, count: { type: 'number' } },
    required: ['first', 'count'],
  }
  const file = path.join(folder, 'script.ts')
  writeFileSync(file, typesOf({ inputSchema: number, outputSchema: counted, tools: TOOLS }) + SCRIPT)
  const options = ['--noEmit', '--strict', '--ignoreConfig', '--target', 'es2024', '--lib', 'es2024', '--types', '']
  const { status, stdout } = spawnSync(process.execPath, [TSC, ...options, file], { encoding: 'utf8' })
  expect([status, stdout.replaceAll(folder, '')]).toEqual([0, ''])
})
